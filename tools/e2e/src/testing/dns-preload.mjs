// Loaded into a controller by NODE_OPTIONS=--import. While the fault file exists, the test's registry name becomes one
// under .invalid, so that the resolver of the machine itself refuses it; otherwise it means loopback.
import dns from 'node:dns';
import { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const name = process.env['BUILDKEEPER_TEST_DNS_NAME'];
const faultFile = process.env['BUILDKEEPER_TEST_DNS_FAULT_FILE'];
const lookup = dns.lookup;

dns.lookup = (hostname, ...rest) => {
  if (hostname !== name) return lookup(hostname, ...rest);
  return lookup(existsSync(faultFile) ? `${name}.invalid` : '127.0.0.1', ...rest);
};
syncBuiltinESMExports();
