/** A shop's plugin asks to be connected: that is answered whatever store is connected already. */
export const isConnectRequest = (address: string): boolean => Boolean(setupQuestion(address)?.get('connect'))

/** Somebody who has a store connects one more: the set-up is there for them too. */
export const ANOTHER_STORE = '/store-setup?another=store'
export const isForAnother = (address: string): boolean => setupQuestion(address)?.has('another') === true

/** The store to be replaced could not be disconnected: the set-up stays open all the same, and nothing of that store is stored (A 4.4). */
export const INSTEAD_OF_STORE = '/store-setup?another=instead'
export const isInsteadOfStore = (address: string): boolean => setupQuestion(address)?.get('another') === 'instead'

function setupQuestion(address: string): URLSearchParams | null {
  const [path = '', question = ''] = address.split('?', 2)
  return path.replace(/\/$/, '') === '/store-setup' ? new URLSearchParams(question) : null
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
