/** A shop's plugin asks to be connected: that is answered whatever store is connected already. */
export function isConnectRequest(address: string): boolean {
  const [path = '', question = ''] = address.split('?', 2)
  return path.replace(/\/$/, '') === '/store-setup' && Boolean(new URLSearchParams(question).get('connect'))
}
