import { areKeysSwapped, normalizeStoreUrl } from '../../../shared/access/store-problems.ts'
import type { SettingName, StoreSettings } from '../../../shared/access/store-settings.ts'
import { type StoreView, type SyncStream, storeTexts } from '../../../shared/access/stores.ts'
import { pluginTexts } from '../../../shared/platforms/plugin-texts.ts'
import { chooseUnit, minutesPer } from '../../core/ui/duration.ts'
import type { SyncAge } from './sync-age.ts'

// Input checks of the store forms and texts about a store's health. Pure.

/** Download address of the plugin on this Recoup. */
export const PLUGIN_ZIP = '/plugin/recoup-for-woocommerce.zip'

export interface KeysForm {
  store_url: string
  consumer_key: string
  consumer_secret: string
}

/** The key page in the store's admin; null until the address is valid. */
export function findKeysPage(storeUrl: string): string | null {
  const url = normalizeStoreUrl('woocommerce', storeUrl)
  if (!url.ok || !/[.:]|^localhost$/.test(new URL(url.storeUrl).host)) return null
  return `${url.storeUrl}/wp-admin/admin.php?page=wc-settings&tab=advanced&section=keys&create-key=1`
}

/** A 5, with the specification's texts. */
export function checkKeys(form: KeysForm): Partial<Record<keyof KeysForm, string>> {
  const problems: Partial<Record<keyof KeysForm, string>> = {}
  const url = normalizeStoreUrl('woocommerce', form.store_url)
  if (!url.ok) problems.store_url = url.message
  if (form.consumer_key.trim() === '') problems.consumer_key = storeTexts.keysRequired
  if (form.consumer_secret.trim() === '') problems.consumer_secret = storeTexts.keysRequired
  if (areKeysSwapped(form.consumer_key, form.consumer_secret)) {
    problems.consumer_key = 'This is a consumer secret.'
    problems.consumer_secret = 'This is a consumer key.'
  }
  return problems
}

/** Settings as form values: a missing sender email is an empty field. */
export type SettingsForm = { [Name in SettingName]: Exclude<StoreSettings[Name], null> }

export const toSettingsForm = (store: StoreView): SettingsForm => ({
  senderName: store.senderName,
  senderEmail: store.senderEmail ?? '',
  postalAddress: store.postalAddress,
  abandonmentTimeoutMinutes: store.abandonmentTimeoutMinutes,
  quietFrom: store.quietFrom,
  quietUntil: store.quietUntil,
  capMessages: store.capMessages,
  capWindowHours: store.capWindowHours,
  textCooldownHours: store.textCooldownHours,
  attributionWindowDays: store.attributionWindowDays,
})

/** The changed fields only, so a save never overwrites what was merely displayed. */
export function findChanges(base: SettingsForm, mine: SettingsForm): Partial<SettingsForm> {
  return Object.fromEntries(listNames(base).flatMap((name) => (mine[name] === base[name] ? [] : [[name, mine[name]]])))
}

export interface MergedSettings {
  values: SettingsForm
  /** Changed here and elsewhere, differently: `value` is the other one. */
  clashes: { name: SettingName; value: string | number }[]
}

/** Merges another member's save: their changes are taken over, local edits stay, conflicts are reported. */
export function mergeSettings(base: SettingsForm, mine: SettingsForm, theirs: SettingsForm): MergedSettings {
  const own = findChanges(base, mine)
  const names = listNames(base).filter((name) => name in own)
  return {
    values: { ...theirs, ...own },
    clashes: names
      .filter((name) => theirs[name] !== base[name] && theirs[name] !== mine[name])
      .map((name) => ({ name, value: theirs[name] })),
  }
}

const listNames = (settings: SettingsForm) => Object.keys(settings) as SettingName[]

/** A setting's value inside a sentence. */
export function formatSetting(name: SettingName, value: string | number): string {
  if (value === '') return 'empty'
  if (name === 'abandonmentTimeoutMinutes') return formatSpan(Number(value))
  if (name === 'capWindowHours' || name === 'textCooldownHours') return formatSpan(Number(value) * 60)
  return name === 'attributionWindowDays' ? formatSpan(Number(value) * 1_440) : String(value)
}

function formatSpan(minutes: number): string {
  const unit = chooseUnit(minutes)
  const amount = minutes / minutesPer[unit]
  return `${amount} ${amount === 1 ? unit.slice(0, -1) : unit}`
}

export interface StreamState {
  completedAt: string | null
  failedAt: string | null
  problem: string | null
  rowsSeen: number
  isRunning: boolean
}

export type StreamHealth = 'running' | 'failing' | 'fine' | 'waiting' | 'unused'

/** A stream fails if its last run failed; a recovered one is fine. */
export function findHealth(stream: SyncStream, state: StreamState): StreamHealth {
  const { completedAt, failedAt, isRunning, rowsSeen } = state
  if (failedAt && (!completedAt || failedAt > completedAt)) return 'failing'
  if (isRunning) return 'running'
  // The store cannot reach this server, so none were created.
  if (stream === 'webhooks' && completedAt && rowsSeen === 0) return 'unused'
  return completedAt ? 'fine' : 'waiting'
}

/** How the data of a shop that Recoup cannot reach arrives; null: Recoup reads the shop itself. */
export function describeReports({ ageSeconds, isReported }: SyncAge): string | null {
  if (isReported === undefined) return null
  if (ageSeconds === null) {
    return `Recoup cannot reach your shop, so it waits for the plugin’s first report of orders. Until then no message is sent. ${pluginTexts.reportsByCron}`
  }
  return isReported
    ? 'Recoup cannot reach your shop. The plugin reports orders, stock and prices. Other data is not read.'
    : 'Recoup cannot reach your shop, and the plugin is not reporting orders, stock and prices. Messages wait. See the connection doctor.'
}

export const streamNames: Readonly<Record<SyncStream, string>> = {
  order_check: 'Orders, checked before each message',
  goods_check: 'Stock and prices, checked before each message',
  record_check: 'Orders and customers, after each webhook',
  coupon_check: 'Coupons, checked before each message',
  import: 'First import of orders',
  sweep: 'Orders, every 15 minutes',
  customers: 'Customers',
  products: 'Products',
  coupons: 'Coupons',
  coupon_codes: 'Personal coupon codes',
  coupon_tidy: 'Removal of expired coupon codes',
  checkouts: 'Abandoned checkouts',
  webhooks: 'Webhooks from your store',
}

/** The script tag for every page of the shop. */
export const buildCaptureSnippet = (origin: string, captureKey: string, into: 'php' | 'theme' = 'php') =>
  `<script src="${origin}/capture/${captureKey}${into === 'theme' ? '.theme' : ''}.js" defer></script>`
