import { type ClusterFiles } from './cluster-files.ts';

/** Arguments of an etcd that keeps nothing: it does not wait for the disk. */
export function etcdArguments(files: ClusterFiles, clientPort: number, peerPort: number): string[] {
  const client = `http://127.0.0.1:${clientPort}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  return [
    ...['--data-dir', files.data, '--unsafe-no-fsync', '--log-level', 'warn'],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
  ];
}

/** Arguments of an API server with RBAC, an administrator by token, and an audit log. */
export function apiServerArguments(files: ClusterFiles, etcdUrl: string, port: number): string[] {
  const flags = {
    'etcd-servers': etcdUrl,
    'bind-address': '127.0.0.1',
    'advertise-address': '127.0.0.1',
    'secure-port': port,
    'cert-dir': files.certificates,
    'service-cluster-ip-range': '10.0.0.0/24',
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': files.publicKey,
    'service-account-signing-key-file': files.privateKey,
    'authorization-mode': 'RBAC',
    'token-auth-file': files.tokens,
    'audit-policy-file': files.auditPolicy,
    'audit-log-path': files.auditLog,
    'audit-log-mode': 'blocking',
  };
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
}
