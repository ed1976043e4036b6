// Loaded into Playwright's driver by NODE_OPTIONS. For each context Playwright sends Firefox a command of WebDriver BiDi
// that this Firefox does not know, and gives up at its error; the tests can do without the command.
const COMMAND = "emulation.setMediaFeaturesOverride";
const parse = JSON.parse;
JSON.parse = (text, reviver) => {
  const message = parse(text, reviver);
  const refused = message?.error === "unknown command" && message.message?.includes(COMMAND);
  return refused ? { type: "success", id: message.id, result: {} } : message;
};
