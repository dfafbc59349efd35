/** A shop's plugin asks to be connected: that is answered whatever store is connected already. */
export function isConnectRequest(address: string): boolean {
  const [path = '', question = ''] = address.split('?', 2)
  return path.replace(/\/$/, '') === '/store-setup' && Boolean(new URLSearchParams(question).get('connect'))
}

/** As long as WordPress waits for the owner to come back (docs/plugin-protocol.md, "Connecting"). */
const GOOD_FOR_MS = 15 * 60_000
const KEY = 'connect-request'

/** Who comes with a request may have to register and to choose a plan first, perhaps at Stripe: in this tab it goes on afterwards. */
export function keepRequest(address: string): void {
  sessionStorage.setItem(KEY, `${Date.now() + GOOD_FOR_MS} ${address}`)
}

/** null: there is none, or WordPress would not take its answer any more. */
export function keptRequest(): string | null {
  const [until, address = ''] = (sessionStorage.getItem(KEY) ?? '').split(' ', 2)
  return Number(until) > Date.now() && isConnectRequest(address) ? address : null
}

export const dropRequest = () => sessionStorage.removeItem(KEY)
