// Numbers through an obs server as JavaScript sees them, by whichever WebSocket client there is.
//
//     node numbers.js URL
//
// Watches the member n of the document with JSON.parse, as a page does, and writes numbers into it by messages that it
// spells itself, and one by JSON.stringify. Prints [what was written, the text that came, what JSON.parse made of it] for
// each value, one JSON line each; at last it writes a number that nothing can hold, and prints how the connection ended.
const Socket = globalThis.WebSocket ?? require("ws");
const socket = new Socket(process.argv[2], "graphql-transport-ws");
const texts = [
  "750727362669608961", "9007199254740993", "0.1", "-0", "1e+22", "-0.0",
  JSON.stringify(9007199254740993), JSON.stringify("9007199254740993"), "1E400",
];

const subscribe = (id, payload) => `{"id":"${id}","type":"subscribe","payload":${payload}}`;
const write = () => {
  const ops = `[{"op":"replace","path":"/n","value":[${texts[0]}]}]`;
  socket.send(subscribe("p", `{"query":"","operationName":"$patch","variables":{"ops":${ops}}}`));
};

socket.addEventListener("open", () => socket.send('{"type":"connection_init"}'));
socket.addEventListener("message", (event) => {
  const message = JSON.parse(event.data);
  if (message.type === "connection_ack") socket.send(subscribe("w", '{"query":"n"}'));
  if (message.type === "complete" && texts.length > 0) write();
  if (message.type !== "next" || message.id !== "w") return;
  const [value] = message.payload.data;
  if (value === null) return write();
  const text = /"data":\[(.*?)\]/.exec(event.data)[1];
  // JSON.stringify would write -0 as 0.
  console.log(JSON.stringify([texts.shift(), text, typeof value, Object.is(value, -0) ? "-0" : String(value)]));
});
socket.addEventListener("close", (event) => console.log(JSON.stringify([event.code, event.reason])));
