import { vi } from 'vitest'

// Test support: the few browser globals that modules of the web app read. Test files share modules, so mocking a module
// would not reach modules that are already loaded.

/** Behaves like the browser's storage. `all` holds the stored values by key. */
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

/** Stubs a page at this address with empty storage. The globals are restored when the test ends. */
export function stubPage({ pathname = '/', search = '', reload = vi.fn(), assign = vi.fn() } = {}) {
  const local = new MemoryStorage()
  const tab = new MemoryStorage()
  vi.stubGlobal('localStorage', local)
  vi.stubGlobal('sessionStorage', tab)
  vi.stubGlobal('location', { pathname, search, reload, assign })
  return { local, tab, reload, assign }
}
