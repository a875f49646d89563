/** A kubeconfig with one context, as JSON, which is YAML too. */
export function kubeconfigText(options: { readonly url: string; readonly ca: string; readonly token: string }): string {
  const name = 'envtest';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [
      {
        name,
        cluster: { server: options.url, 'certificate-authority-data': Buffer.from(options.ca).toString('base64') },
      },
    ],
    users: [{ name, user: { token: options.token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
