import { stringify } from 'yaml';

/** A kubeconfig with one cluster, one user and one context, as YAML. The namespace of the context is `default`. */
export function kubeconfigText(server: string, token: string | undefined): string {
  const name = 'buildkeeper';
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name, user: token === undefined ? {} : { token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
    'current-context': name,
  });
}
