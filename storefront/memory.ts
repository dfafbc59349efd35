// State kept between pages: two random tokens and the last posts. Falls back to this page's memory if the browser has
// no storage.

export interface Memory {
  get(name: string): string | undefined
  set(name: string, value: string): void
  forget(name: string): undefined
  /** Random, created on first use. */
  token(name: string): string
  /** Moves stored values to where they may be now: session or local storage. */
  keep(): void
  clear(): void
}

/** Values about one cart. */
export const OF_CART = ['cart', 'back', 'items', 'contact', 'boxes', 'no', 'has']
const NAMES = [...OF_CART, 'device', 'order', 'yes']

/** Until `isLasting` returns true, nothing outlives the visit (C9). */
export function openMemory(key: string, isLasting: () => boolean = () => true): Memory {
  const fallback: Record<string, string> = {}
  const storageKey = (name: string) => `recoup_${name}_${key.slice(0, 8)}`
  const memory: Memory = {
    get(name) {
      const of = storageKey(name)
      return attempt(() => localStorage.getItem(of)) ?? attempt(() => sessionStorage.getItem(of)) ?? fallback[name]
    },
    set(name, value) {
      fallback[name] = value
      attempt(() => (isLasting() ? localStorage : sessionStorage).setItem(storageKey(name), value))
      attempt(() => (isLasting() ? sessionStorage : localStorage).removeItem(storageKey(name)))
    },
    forget(name) {
      delete fallback[name]
      for (const storage of [() => localStorage, () => sessionStorage])
        attempt(() => storage().removeItem(storageKey(name)))
      return undefined
    },
    token(name) {
      const stored = memory.get(name)
      if (stored) return stored
      const fresh = createToken(18)
      memory.set(name, fresh)
      return fresh
    },
    keep: () =>
      NAMES.forEach((name) => {
        const stored = memory.get(name)
        if (stored) memory.set(name, stored)
      }),
    clear: () => NAMES.forEach(memory.forget),
  }
  return memory
}

/** undefined after an error: storage may be full or forbidden, and shoppers must see no error. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

/** "Do not track" and Global Privacy Control: the visit counts, but the browser is not recognized later. */
export function readDevice(memory: Memory): string | undefined {
  const isPrivate = (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl
  return isPrivate || navigator.doNotTrack === '1' ? memory.forget('device') : memory.token('device')
}

/** Random bytes in the letters of base64url. */
export function createToken(bytes: number): string {
  const values = crypto.getRandomValues(new Uint8Array(bytes))
  return btoa(String.fromCharCode(...values)).replace(/\W/g, '_')
}

/** Good enough to detect a change (FNV-1a). */
export function checksum(text: string): string {
  let sum = 0x811c9dc5
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193)
  return (sum >>> 0).toString(36) + text.length
}
