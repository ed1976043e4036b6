// Loaded into Playwright's driver by NODE_OPTIONS. For each browser context, Playwright sends Firefox a WebDriver BiDi
// command that this Firefox does not know, and it gives up when Firefox returns an error. The tests do not need the
// command, so its error is turned into a success.
const COMMAND = "emulation.setMediaFeaturesOverride";
const parse = JSON.parse;
JSON.parse = (text, reviver) => {
  const message = parse(text, reviver);
  const refused = message?.error === "unknown command" && message.message?.includes(COMMAND);
  return refused ? { type: "success", id: message.id, result: {} } : message;
};
