import type { LivePart } from '../../../shared/live.ts'

const SOON_MS = 50
const PAUSE_MS = 1_000

/**
 * Emits changes of a store at most once a second. The parts of a transaction arrive one by one, so the first waits
 * briefly for the others.
 */
export class ChangeGatherer {
  readonly #waiting = new Map<string, { parts: Set<LivePart>; timer: NodeJS.Timeout }>()
  readonly #pass: (storeId: string, parts: LivePart[]) => void

  constructor(pass: (storeId: string, parts: LivePart[]) => void) {
    this.#pass = pass
  }

  add(storeId: string, parts: readonly LivePart[]): void {
    const known = this.#waiting.get(storeId)
    if (known) for (const part of parts) known.parts.add(part)
    else this.#waiting.set(storeId, { parts: new Set(parts), timer: this.#wait(storeId, SOON_MS) })
  }

  stop(): void {
    for (const { timer } of this.#waiting.values()) clearTimeout(timer)
    this.#waiting.clear()
  }

  #wait(storeId: string, delayMs: number): NodeJS.Timeout {
    return setTimeout(() => this.#flush(storeId), delayMs)
  }

  #flush(storeId: string): void {
    const parts = [...this.#waiting.get(storeId)!.parts]
    this.#waiting.delete(storeId)
    if (parts.length === 0) return
    this.#waiting.set(storeId, { parts: new Set(), timer: this.#wait(storeId, PAUSE_MS) })
    this.#pass(storeId, parts)
  }
}
