import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files that a control plane reads and writes, in one folder. */
export interface ClusterFiles {
  readonly data: string;
  /** Holds the certificate that the server makes for itself. */
  readonly certificates: string;
  readonly publicKey: string;
  readonly privateKey: string;
  readonly tokens: string;
  readonly auditPolicy: string;
  readonly auditLog: string;
  readonly etcdLog: string;
  readonly apiServerLog: string;
}

/** Names the files of a folder, and writes those that the servers read. The token is a cluster administrator's. */
export function writeClusterFiles(folder: string, token: string): ClusterFiles {
  const files = {
    data: join(folder, 'etcd'),
    certificates: join(folder, 'certificates'),
    publicKey: join(folder, 'service-account.pub'),
    privateKey: join(folder, 'service-account.key'),
    tokens: join(folder, 'tokens.csv'),
    auditPolicy: join(folder, 'audit-policy.json'),
    auditLog: join(folder, 'audit.log'),
    etcdLog: join(folder, 'etcd.log'),
    apiServerLog: join(folder, 'kube-apiserver.log'),
  };
  const keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  writeFileSync(files.publicKey, keys.publicKey);
  writeFileSync(files.privateKey, keys.privateKey, { mode: 0o600 });
  writeFileSync(files.tokens, `${token},admin,admin,"system:masters"\n`, { mode: 0o600 });
  writeFileSync(files.auditPolicy, JSON.stringify(auditPolicy));
  writeFileSync(files.auditLog, '');
  return files;
}

/** Every request once, when its answer is complete. */
const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  rules: [{ level: 'Metadata' }],
};
