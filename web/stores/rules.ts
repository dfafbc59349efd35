import { normalizeStoreUrl } from '../../shared/store-problems.ts'
import { storeTexts } from '../../shared/stores.ts'

// What the store forms check and how a store's health is said. Pure.

export interface KeysForm {
  store_url: string
  consumer_key: string
  consumer_secret: string
}

/** A 5, in the specification's words. */
export function checkKeys(form: KeysForm): Partial<Record<keyof KeysForm, string>> {
  const problems: Partial<Record<keyof KeysForm, string>> = {}
  const url = normalizeStoreUrl('woocommerce', form.store_url)
  if (!url.ok) problems.store_url = url.message
  if (form.consumer_key.trim() === '') problems.consumer_key = storeTexts.keysRequired
  if (form.consumer_secret.trim() === '') problems.consumer_secret = storeTexts.keysRequired
  return problems
}

export interface SettingsForm {
  senderName: string
  senderEmail: string
  postalAddress: string
  abandonmentTimeoutMinutes: number
}

export const TIMEOUT_MIN_MINUTES = 15
export const TIMEOUT_MAX_MINUTES = 10_080

export function checkSettings(form: SettingsForm): Partial<Record<keyof SettingsForm, string>> {
  const problems: Partial<Record<keyof SettingsForm, string>> = {}
  const email = form.senderEmail.trim()
  if (email !== '' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) problems.senderEmail = 'This is not an email address'
  const minutes = form.abandonmentTimeoutMinutes
  if (!(minutes >= TIMEOUT_MIN_MINUTES && minutes <= TIMEOUT_MAX_MINUTES)) {
    problems.abandonmentTimeoutMinutes = 'Between 15 minutes and 7 days'
  }
  return problems
}

export interface StreamState {
  completedAt: string | null
  failedAt: string | null
  problem: string | null
  isRunning: boolean
}

export type StreamHealth = 'running' | 'failing' | 'fine' | 'waiting'

/** A stream fails when its last end was a failure; one that has healed since is fine. */
export function healthOf({ completedAt, failedAt, isRunning }: StreamState): StreamHealth {
  if (failedAt && (!completedAt || failedAt > completedAt)) return 'failing'
  if (isRunning) return 'running'
  return completedAt ? 'fine' : 'waiting'
}

const streamNames: Record<string, string> = {
  fence: 'Orders, checked before each message',
  import: 'First import of orders',
  sweep: 'Orders, every 15 minutes',
  customers: 'Customers',
  products: 'Products',
  webhooks: 'Notices from your store',
}

export const streamName = (stream: string) => streamNames[stream] ?? stream

/** The tag that goes on every page of the shop. */
export const captureSnippet = (origin: string, captureKey: string) =>
  `<script src="${origin}/capture/${captureKey}.js" defer></script>`
