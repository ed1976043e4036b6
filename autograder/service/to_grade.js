// Added to formgrader's pages: a button that goes to the next answer that needs a manual grade. It goes through the
// notebook on the page first, and then through those of the other students.
(() => {
  const mark = "#to-grade", arrives = window.location.hash === mark;  // read now, because formgrader soon changes the address
  $(window).on("load", () => {
    const isSubmission = typeof formgrader !== "undefined";
    if (!isSubmission && !$("#toggle_names").length) return;
    const root = isSubmission ? base_url : base_url + "/formgrader";
    const list = [root, "api/submitted_notebooks", ...[assignment_id, notebook_id].map(encodeURIComponent)].join("/");
    const button = $("<button type='button' class='btn btn-primary secant-to-grade'/>");
    const waiting = () => $(".score.needs_manual_grade").toArray();

    // Grades are saved in the background, so act only after all requests have been answered.
    const settled = act => ($.active ? $(document).one("ajaxStop", () => act()) : act());

    // Pass to `act` the other notebooks with such an answer, sorted by their numbers, and this notebook's number.
    const others = act => $.getJSON(list).done(found => {
      const here = isSubmission && found.find(each => each.id === submission_id);
      const waits = found.filter(each => each.needs_manual_grade && each !== here);
      act(waits.sort((a, b) => a.index - b.index), here ? here.index : -1);
    });

    const say = left => {
      const many = left === 1 ? "1 notebook left" : left + " notebooks left";
      button.text(left ? "Next answer to grade (" + many + ")" : "No answer waits for a grade").prop("disabled", !left);
    };
    let elsewhere = 0;  // number of other notebooks; requested once per page, because a large class's list takes a second
    const show = () => say(elsewhere + (waiting().length ? 1 : 0));
    const count = () => others(found => { elsewhere = found.length; show(); });

    const select = input => {
      formgrader.last_selected = $(input);  // formgrader itself selects this input once MathJax has loaded
      $(input).select().focus();
      formgrader.scrollToLastSelected();
    };

    const next = () => {
      document.activeElement.blur();  // leaving an input saves its content
      settled(() => {
        const after = each => formgrader.last_selected[0].compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING;
        const here = isSubmission ? waiting() : [];
        const below = here.find(after);
        if (below) return select(below);
        others((found, index) => {
          const other = found.find(each => each.index > index) || found[0];
          if (other) window.location = root + "/submissions/" + other.id + "/" + mark;
          else if (here.length) select(here[0]);
          else say(0);
        });
      });
    };

    button.on("click", next);
    if (isSubmission) {
      $("body").append(button);
      formgrader.keyboard_manager.register({
        handler: event => { event.preventDefault(); next(); },
        keybinding: "control-enter",
        help: "Save and move to the next answer that needs manual grading",
      });
      const arrive = () => {
        const first = waiting()[0];
        if (arrives && first) select(first);
        count();
        $(document).on("finished_saving", show);
      };
      formgrader.grades.loaded ? arrive() : formgrader.grades.once("sync", () => arrive());
    } else {
      $("#toggle_names").before(button);
      count();
    }
  });
})();
