/** A connect request from a shop's plugin. It is answered even if another store is connected. */
export const isConnectRequest = (address: string): boolean => Boolean(parseSetupQuery(address)?.get('connect'))

/** Lets an owner who has a store connect another one. */
export const ANOTHER_STORE = '/store-setup?another=store'
export const isForAnother = (address: string): boolean => parseSetupQuery(address)?.has('another') === true

/**
 * Keeps the set-up open when the store to be replaced could not be disconnected. Nothing about that store is stored (A
 * 4.4).
 */
export const INSTEAD_OF_STORE = '/store-setup?another=instead'
export const isInsteadOfStore = (address: string): boolean => parseSetupQuery(address)?.get('another') === 'instead'

function parseSetupQuery(address: string): URLSearchParams | null {
  const [path = '', question = ''] = address.split('?', 2)
  return path.replace(/\/$/, '') === '/store-setup' ? new URLSearchParams(question) : null
}

/** How long WordPress waits for the owner to return (docs/plugin-protocol.md, "Connecting"). */
const GOOD_FOR_MS = 15 * 60_000
const KEY = 'connect-request'

/** Survives registration, plan choice and Stripe's pages in this tab. */
export function storeRequest(address: string): void {
  sessionStorage.setItem(KEY, `${Date.now() + GOOD_FOR_MS} ${address}`)
}

/** Returns null if there is no request or WordPress would no longer accept the answer. */
export function loadRequest(): string | null {
  const [until, address = ''] = (sessionStorage.getItem(KEY) ?? '').split(' ', 2)
  return Number(until) > Date.now() && isConnectRequest(address) ? address : null
}

export const dropRequest = () => sessionStorage.removeItem(KEY)
