import crypto from 'node:crypto'
import { DEFAULT_PROMPT, type PushMethod, type PushPrompt, WORKER_PATHS } from '../../../shared/push.ts'
import { WORKER_VERSION } from '../../../shared/push-worker-version.ts'

// What a shop's pages are told of web push. Pure.

/** As shoppers read it. */
export function shownPrompt(prompt: PushPrompt | null, storeName: string): PushPrompt {
  const { title, text, accept, decline, ...look } = prompt ?? DEFAULT_PROMPT
  const named = (words: string) => words.replaceAll('{store}', storeName)
  return { ...look, title: named(title), text: named(text), accept: named(accept), decline: named(decline) }
}

/** What somebody agrees to who presses the first button (C5). */
export const wordingOf = ({ title, text, accept }: PushPrompt): string => `${title}\n${text}\n[${accept}]`

/** Names these words and no others. */
export const wordingId = (words: string): string => crypto.hash('sha256', words, 'base64url').slice(0, 22)

/** WordPress answers in its own folder, also for the whole host; an uploaded file lies at the host's root. */
export function workerUrlOf(homeUrl: string, method: PushMethod = 'functions'): string {
  const path = WORKER_PATHS[method]
  return path.includes('?') ? homeUrl.replace(/\/$/, '') + path : new URL(path, homeUrl).href
}

/** Whether the shop's copy of sw.js is to be copied again; null: nobody has told. The plugin has no copy, it loads ours. */
export const isOldWorker = (method: PushMethod, version: number | null): boolean =>
  method !== 'plugin' && version !== null && version < WORKER_VERSION

/** Whole percent of A 5; 0 where there is nobody. */
export const conversionOf = (subscribed: number, total: number): number =>
  total === 0 ? 0 : Math.round((subscribed / total) * 100)

/** Percent to one place; 0 where nothing was sent. */
export const clickRateOf = (clicked: number, notifications: number): number =>
  notifications === 0 ? 0 : Math.round((clicked / notifications) * 1_000) / 10
