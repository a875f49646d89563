'use strict';

// What the controllers and @kubernetes/client-node use of undici. The whole of it (WebSocket, caches, mocks, fetch) takes
// 13 MB more in every process. A name that is missing here is an error at the start of a bundle, which every build runs.
const dispatcher = require('undici/lib/dispatcher/dispatcher');

Object.assign(dispatcher.prototype, require('undici/lib/api'));

exports.Agent = require('undici/lib/dispatcher/agent');
exports.Pool = require('undici/lib/dispatcher/pool');
exports.ProxyAgent = require('undici/lib/dispatcher/proxy-agent');
exports.buildConnector = require('undici/lib/core/connect');
exports.errors = require('undici/lib/core/errors');

// Only the generated API classes of @kubernetes/client-node fetch, and nobody calls those: loaded when somebody does.
exports.fetch = (...request) => require('undici/lib/web/fetch').fetch(...request);
