// Parses the responses of standard input with node's llhttp, and writes a verdict for each: see PeerParser.swift of the tests.
'use strict';
const { HTTPParser } = require('_http_common');
const { readFileSync, writeFileSync } = require('fs');

function judge(data, isHead) {
  const parser = new HTTPParser();
  parser.initialize(HTTPParser.RESPONSE, {});
  const body = [];
  let status = 0, keepAlive = false, upgrade = false, ended = false, fields = [];
  parser[HTTPParser.kOnHeaders] = (headers) => { fields = fields.concat(headers); };
  parser[HTTPParser.kOnHeadersComplete] = (major, minor, headers, method, url, code, phrase, upgrades, keepsAlive) => {
    fields = [];
    status = code;
    keepAlive = keepsAlive;
    upgrade = upgrades && code === 101;
    if (upgrade) return 2;
    return isHead || code < 200 ? 1 : 0;
  };
  parser[HTTPParser.kOnBody] = (piece, start = 0, length = piece.length) => {
    body.push(Buffer.from(piece.subarray(start, start + length)));
  };
  parser[HTTPParser.kOnMessageComplete] = () => { ended = status >= 200 || status === 101; };

  // Byte by byte, since the parser does not tell where a message ends, and goes on with the next one.
  let position = 0;
  for (; position < data.length && !ended; position++) {
    const result = parser.execute(data.subarray(position, position + 1));
    if (result instanceof Error && !ended) return '-';
  }
  const isOpen = ended;
  if (!ended && (parser.finish() instanceof Error || !ended)) return '-';
  const reusable = isOpen && keepAlive && !upgrade && status >= 200 && position === data.length;
  const trailers = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    trailers.push(`${fields[index].toLowerCase()}:${fields[index + 1]}\n`);
  }
  const hex = Buffer.from(trailers.join(''), 'latin1').toString('hex');
  return `${status} ${reusable ? 1 : 0} .${Buffer.concat(body).toString('hex')} .${hex}`;
}

const input = readFileSync(0);
const lines = [`llhttp ${process.versions.llhttp}`];
for (let start = 0; start < input.length;) {
  const end = start + 5 + input.readUInt32BE(start + 1);
  lines.push(judge(input.subarray(start + 5, end), input[start] === 1));
  start = end;
}
writeFileSync(1, lines.join('\n') + '\n');
