import crypto from 'node:crypto'
import { DEFAULT_PROMPT, type PushMethod, type PushPrompt, WORKER_PATHS } from '../../../shared/delivery/push.ts'
import { WORKER_VERSION } from '../../../shared/delivery/push-worker-version.ts'

// Data about web push for a shop's pages. Pure.

/** With the store's name filled in. */
export function renderPrompt(prompt: PushPrompt | null, storeName: string): PushPrompt {
  const { title, text, accept, decline, ...look } = prompt ?? DEFAULT_PROMPT
  const named = (text: string) => text.replaceAll('{store}', storeName)
  return { ...look, title: named(title), text: named(text), accept: named(accept), decline: named(decline) }
}

/** The text that a shopper accepts with the first button (C5). */
export const buildWording = ({ title, text, accept }: PushPrompt): string => `${title}\n${text}\n[${accept}]`

/** The id of a text, unique to its content. */
export const computeWordingId = (text: string): string => crypto.hash('sha256', text, 'base64url').slice(0, 22)

/**
 * WordPress serves the worker from its own folder, with a scope of the whole host; an uploaded file is at the host's
 * root.
 */
export function buildWorkerUrl(homeUrl: string, method: PushMethod = 'functions'): string {
  const path = WORKER_PATHS[method]
  return path.includes('?') ? homeUrl.replace(/\/$/, '') + path : new URL(path, homeUrl).href
}

/** Whether the shop must copy sw.js again; null: not reported. The plugin has no copy; it loads ours. */
export const isOldWorker = (method: PushMethod, version: number | null): boolean =>
  method !== 'plugin' && version !== null && version < WORKER_VERSION

/** In whole percent (A 5); 0 without customers. */
export const computeConversion = (subscribed: number, total: number): number =>
  total === 0 ? 0 : Math.round((subscribed / total) * 100)

/** Percentage with one decimal; 0 without sends. */
export const computeClickRate = (clicked: number, notifications: number): number =>
  notifications === 0 ? 0 : Math.round((clicked / notifications) * 1_000) / 10
