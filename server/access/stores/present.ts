import { formatMinuteOfDay } from '../../../shared/access/store-settings.ts'
import type { StoreView } from '../../../shared/access/stores.ts'
import type { StoreRow } from './sql.ts'

/** A store as its members see it. Its keys are in another table and never included. */
export function presentStore(row: StoreRow, { hasPlugin }: { hasPlugin: boolean }): StoreView {
  return {
    id: row.id,
    platform: row.platform,
    store_url: row.url,
    name: row.name,
    currency: row.currency,
    timeZone: row.time_zone,
    locale: row.locale,
    version: row.version,
    baseCountry: row.base_country,
    sellingCountries: row.selling_countries,
    isDemo: row.is_demo,
    canWrite: row.can_write,
    rights: row.rights,
    captureKey: row.capture_key,
    captureSeenAt: row.capture_seen_at?.toISOString() ?? null,
    senderName: row.sender_name,
    senderEmail: row.sender_email,
    postalAddress: row.postal_address,
    abandonmentTimeoutMinutes: row.abandonment_timeout_minutes,
    quietFrom: formatMinuteOfDay(row.quiet_from_minute),
    quietUntil: formatMinuteOfDay(row.quiet_until_minute),
    capMessages: row.cap_messages,
    capWindowHours: row.cap_window_hours,
    textCooldownHours: row.text_cooldown_hours,
    attributionWindowDays: row.attribution_window_days,
    settingsVersion: row.settings_version,
    isCaptureChosen: row.before_consent !== null,
    isResting: row.rests_since !== null,
    mode: hasPlugin ? 'plugin' : row.capture_seen_at ? 'capture' : 'limited',
  }
}
