import { vi } from 'vitest'

// Test support: the few globals of a page that modules of the browser app read. Modules are shared between test files, so that a mock of a
// module reaches only those which were not loaded before: tests put these globals in place instead.

/** As a browser's. `all` has what is stored, by key. */
export class MemoryStorage {
  private readonly entries = new Map<string, string>()
  get length() {
    return this.entries.size
  }
  key = (index: number) => [...this.entries.keys()][index] ?? null
  getItem = (key: string) => this.entries.get(key) ?? null
  setItem = (key: string, value: string) => void this.entries.set(key, value)
  removeItem = (key: string) => void this.entries.delete(key)
  clear = () => this.entries.clear()
  all = () => Object.fromEntries([...this.entries].sort())
}

/** A page at this address with nothing stored. Its globals end with the test. */
export function stubPage({ pathname = '/', search = '', reload = vi.fn(), assign = vi.fn() } = {}) {
  const local = new MemoryStorage()
  const tab = new MemoryStorage()
  vi.stubGlobal('localStorage', local)
  vi.stubGlobal('sessionStorage', tab)
  vi.stubGlobal('location', { pathname, search, reload, assign })
  return { local, tab, reload, assign }
}
