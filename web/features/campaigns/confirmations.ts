import type { AudienceCount } from '../../../shared/marketing/audience.ts'
import { type CampaignSchedule, type CampaignView, campaignTexts } from '../../../shared/marketing/campaigns.ts'
import { formatCount, formatCounted } from '../../core/ui/format.ts'
import { toInstant, toKnownZone } from '../../core/ui/zone.ts'
import { type CampaignAction, formatInZone, isTimePast } from './rules.ts'

// Confirmations before actions on a campaign. Pure.

export interface Confirmation {
  title: string
  /** Label of the confirming button. */
  label: string
  /** null: the reachable audience is shown instead. */
  text: string | null
  isDangerous: boolean
}

type ConfirmedCampaign = Pick<CampaignView, 'name' | 'status' | 'schedule'>

/** null: the action runs at once. */
export function findConfirmation(
  action: CampaignAction,
  campaign: ConfirmedCampaign,
  zone: string,
  now: number,
): Confirmation | null {
  const { name, status } = campaign
  if (action === 'delete') {
    return { title: `Delete ${name}?`, label: 'Delete', text: campaignTexts.deleteQuestion, isDangerous: true }
  }
  if (action === 'send' || action === 'send_now') {
    return { title: `Send ${name} now?`, label: 'Send', text: null, isDangerous: false }
  }
  if (action === 'cancel') {
    return { title: `Cancel ${name}?`, label: 'Cancel campaign', text: CANCEL_TEXT, isDangerous: true }
  }
  const isOver = status === 'completed' || status === 'sent' || status === 'cancelled'
  return action === 'play' && isOver ? confirmPlay(campaign, zone, now) : null
}

const CANCEL_TEXT =
  'It stops, and its waiting messages are cancelled. Play restarts it for shoppers who did not get it.'

/** What Play does on the server: the next time of the schedule, or now if it has none. */
function confirmPlay({ name, schedule }: ConfirmedCampaign, zone: string, now: number): Confirmation {
  const next = findNextRun(schedule, zone, now)
  return {
    title: next === null ? `Send ${name} again now?` : `Start ${name} again?`,
    label: next === null ? 'Send again' : 'Start again',
    text:
      next === null
        ? 'It is sent now to shoppers who did not get it.'
        : `Its next run is on ${formatInZone(next, zone)}, for shoppers who did not get it.`,
    isDangerous: false,
  }
}

/** The first scheduled time from now on; null if all have passed. */
export function findNextRun(schedule: CampaignSchedule, zone: string, now: number): number | null {
  const { startDate, timeOfDay, frequency } = schedule
  const timeOn = (day: string) => Date.parse(toInstant(`${day}T${timeOfDay}`, toKnownZone(zone)) ?? '')
  if (frequency === 'once') return timeOn(startDate) > now ? timeOn(startDate) : null
  const passed = Math.floor((now - Date.parse(startDate)) / (longest[frequency] * DAY_MS)) - 1
  for (let count = Math.max(0, passed || 0); ; count++) {
    const at = timeOn(addDays(startDate, frequency, count))
    // Missing or impossible date and time.
    if (!Number.isFinite(at) || at > now) return Number.isFinite(at) ? at : null
  }
}

const DAY_MS = 86_400_000
/** Maximum days between two runs. */
const longest = { daily: 1, weekly: 7, monthly: 31 } as const

function addDays(start: string, frequency: 'daily' | 'weekly' | 'monthly', count: number): string {
  const [year, month, day] = start.split('-').map(Number) as [number, number, number]
  if (frequency !== 'monthly')
    return formatIsoDay(Date.UTC(year, month - 1, day + count * (frequency === 'daily' ? 1 : 7)))
  // Monthly on the 31st means the last day of a short month.
  const last = new Date(Date.UTC(year, month + count, 0)).getUTCDate()
  return formatIsoDay(Date.UTC(year, month - 1 + count, Math.min(day, last)))
}

const formatIsoDay = (at: number) => new Date(at).toISOString().slice(0, 10)

type CampaignCounts = Pick<AudienceCount, 'total' | 'eligible' | 'judged'>

/** Confirmation of "Send to All", with the current count. */
export function confirmSendToAll({ total, eligible, judged }: CampaignCounts) {
  if (total === 0) return { title: 'No one matches now', label: 'Send', others: 'There is no one to send it to.' }
  if (judged !== null) {
    const whom = formatCounted(total, 'person', 'people')
    return {
      title: `Send to up to ${whom} now?`,
      label: `Send to up to ${whom}`,
      others: `Of the newest ${formatCount(judged)} of them, ${formatCount(eligible)} would get it now.`,
    }
  }
  const [whom, excluded] = [formatCounted(eligible, 'person', 'people'), total - eligible]
  return {
    title: `Send to ${whom} now?`,
    label: `Send to ${whom}`,
    others:
      excluded === 0
        ? null
        : `${formatCount(excluded)} more ${excluded === 1 ? 'matches' : 'match'} but cannot get it now:`,
  }
}

/**
 * Whether to ask "now or tomorrow" before saving: today's time has passed and saving would start the campaign.
 * `stored`: the saved schedule; null for a new campaign.
 */
export const shouldAskNowOrTomorrow = (
  schedule: CampaignSchedule,
  {
    zone,
    now,
    stored,
  }: { zone: string; now: number; stored: (Pick<CampaignView, 'status' | 'counts'> & ConfirmedCampaign) | null },
): boolean => {
  if (!isTimePast(schedule, zone, now)) return false
  if (stored === null) return true
  const { startDate, timeOfDay, frequency } = stored.schedule
  const isSame =
    startDate === schedule.startDate && timeOfDay === schedule.timeOfDay && frequency === schedule.frequency
  return !isSame && stored.status === 'scheduled' && stored.counts.planned === 0
}
