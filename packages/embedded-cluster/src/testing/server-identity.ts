import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerIdentity } from '../proxy/connection.ts';

/** A new key and a certificate for 127.0.0.1 that it signed itself, made by openssl. */
export function createServerIdentity(): ServerIdentity {
  const folder = mkdtempSync(join(tmpdir(), 'identity-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const newKey = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', ...newKey, ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const identity = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  rmSync(folder, { recursive: true });
  return identity;
}
