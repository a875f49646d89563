import type { FaultProxy } from '@buildkeeper/embedded-cluster';
import type { OutageFault } from './options.ts';

/** Makes the registry behind `proxy` fail in the given way, on the wire, for every request from now on. */
export async function startOutage(proxy: FaultProxy, fault: OutageFault): Promise<void> {
  switch (fault) {
    case 'refuse':
      return proxy.refuse();
    case 'reset':
    case 'hang':
      proxy.fault({ action: { kind: fault } });
      return;
    case '429':
      proxy.fault({ action: { kind: 'status', status: 429, headers: { 'retry-after': '2' } } });
      return;
    case '500':
    case '503':
      proxy.fault({ action: { kind: 'status', status: Number(fault) } });
  }
}

/** Ends every outage. */
export async function endOutage(proxy: FaultProxy): Promise<void> {
  proxy.clear();
  await proxy.accept();
}

/** Codes under which the controllers count the requests that failed by this fault: a family, but for a few exact ones. */
export function failureCodesOf(fault: OutageFault): readonly string[] {
  if (fault === '429') return ['429'];
  return fault === '500' || fault === '503' ? ['5xx'] : ['<error>'];
}
