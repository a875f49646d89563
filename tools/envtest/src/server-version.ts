/** The kube-apiserver that is built: the version in `apiserver/go.mod`, and the name of its folder in the cache. */
export const serverVersion = 'v1.34.4';
