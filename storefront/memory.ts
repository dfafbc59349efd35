// What is remembered between pages: two random tokens and what was posted last. Falls back to this page's memory where the
// browser keeps nothing.

export interface Memory {
  get(name: string): string | undefined
  set(name: string, value: string): void
  forget(name: string): undefined
  /** Random, made on first use. */
  token(name: string): string
  clear(): void
}

const NAMES = ['cart', 'back', 'device', 'items', 'contact', 'no', 'has', 'order']

export function openMemory(key: string): Memory {
  const here: Record<string, string> = {}
  const nameOf = (name: string) => `recoup_${name}_${key.slice(0, 8)}`
  const memory: Memory = {
    get(name) {
      try {
        return localStorage.getItem(nameOf(name)) ?? here[name]
      } catch {
        return here[name]
      }
    },
    set(name, value) {
      here[name] = value
      try {
        localStorage.setItem(nameOf(name), value)
      } catch {
        // Full or forbidden: this page still remembers.
      }
    },
    forget(name) {
      delete here[name]
      try {
        localStorage.removeItem(nameOf(name))
      } catch {
        // Then there is nothing to forget.
      }
      return undefined
    },
    token(name) {
      const known = memory.get(name)
      if (known) return known
      const fresh = random(18)
      memory.set(name, fresh)
      return fresh
    },
    clear: () => NAMES.forEach(memory.forget),
  }
  return memory
}

/** "Do not track" and Global Privacy Control: the visit counts, the browser is not recognised again. */
export function deviceOf(memory: Memory): string | undefined {
  const isPrivate = (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl
  return isPrivate || navigator.doNotTrack === '1' ? memory.forget('device') : memory.token('device')
}

/** Random bytes as base64url. */
export function random(bytes: number): string {
  const values = crypto.getRandomValues(new Uint8Array(bytes))
  return btoa(String.fromCharCode(...values))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
}

/** Enough to notice a change (FNV-1a). */
export function checksum(text: string): string {
  let sum = 0x811c9dc5
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193)
  return (sum >>> 0).toString(36) + text.length
}
