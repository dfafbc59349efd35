import type { z } from 'zod'
import { type Feature, featurePlans, type PlanKey } from '../../../shared/billing/billing.ts'
import { DEFAULT_PUSH } from '../../../shared/delivery/push.ts'
import {
  type AudienceFilters,
  type AudienceMode,
  type AudienceType,
  audienceTexts,
  DEFAULT_FILTERS,
  MAX_SELECTED,
} from '../../../shared/marketing/audience.ts'
import {
  type CampaignSchedule,
  type CampaignStatus,
  type CampaignType,
  type CampaignView,
  campaignDefaults,
  campaignTexts,
  type createCampaign,
  type listCampaigns,
  type TemplateChoice,
} from '../../../shared/marketing/campaigns.ts'
import { isDesigned, type MailDocument } from '../../../shared/messages/mail-document.ts'
import { formatCounted } from '../../core/ui/format.ts'
import { createListAddress } from '../../core/ui/listQuery.ts'
import { toInstant, toKnownZone, toLocal } from '../../core/ui/zone.ts'
import { findMailProblems } from '../../kits/mail-editor/problems.ts'
import { unknownText } from '../../kits/message-editor/rules.ts'
import { type CouponEdit, couponProblems } from '../../kits/message-editor/step-coupon.ts'
import { getContent, setContent } from './content.ts'
import { findCartVariables } from './default-content.ts'
import { checkNumbers, type NumberName } from './filter-number.ts'

// List address, allowed actions, draft values and validation of campaigns. Pure.

export interface CampaignFilter {
  search?: string
  status?: CampaignStatus
}

export const campaignsAddress = createListAddress<CampaignFilter, 'newest'>({
  filters: ['search', 'status'],
  readFilter: (search) => {
    const text = search.get('search')
    const status = parseStatus(search.get('status'))
    return { ...(text && { search: text.slice(0, 200) }), ...(status && { status }) }
  },
  sorts: ['newest'],
  largestFirst: ['newest'],
  limit: 50,
})

/** null: an unknown value. */
export const parseStatus = (value: string | null): CampaignStatus | null =>
  (Object.keys(rowActions) as CampaignStatus[]).find((status) => status === value) ?? null

type CampaignList = z.output<typeof listCampaigns.reply>

/** A page of the list without the campaigns of `ids`. */
export function removeCampaigns(list: CampaignList, ids: ReadonlySet<string>): CampaignList {
  const campaigns = list.campaigns.filter(({ id }) => !ids.has(id))
  const total = list.pagination.total - (list.campaigns.length - campaigns.length)
  return { campaigns, pagination: { ...list.pagination, total } }
}

export type RowAction = 'edit' | 'play' | 'pause' | 'send_now' | 'cancel' | 'delete' | 'send'

/** B 4. */
export const rowActions: Record<CampaignStatus, readonly RowAction[]> = {
  scheduled: ['edit', 'pause', 'send_now', 'cancel'],
  paused: ['play', 'send_now', 'cancel'],
  active: ['edit', 'pause', 'delete', 'send'],
  completed: ['edit', 'play', 'delete', 'send'],
  sent: ['edit', 'play', 'delete', 'send'],
  cancelled: ['edit', 'play', 'delete', 'send'],
}

/** B 5: why an allowed action would have no effect on this campaign; null if it has. */
export const explainNoEffect = (
  action: RowAction,
  { targetAudience }: Pick<CampaignView, 'targetAudience'>,
): string | null =>
  action === 'send' && targetAudience.type === 'specific_customers' ? campaignTexts.onlyAbandoned : null

/** All actions but `edit`, which is a link. */
export type CampaignAction = Exclude<RowAction, 'edit'>

/** B 8: message after success, and the fallback error. */
export const actionTexts: Record<CampaignAction, { done: string; failed: string }> = {
  play: { done: campaignTexts.resumed, failed: campaignTexts.notResumed },
  pause: { done: campaignTexts.paused, failed: campaignTexts.notPaused },
  send_now: { done: campaignTexts.sentNow, failed: campaignTexts.notSentNow },
  cancel: { done: campaignTexts.cancelled, failed: campaignTexts.notCancelled },
  delete: { done: campaignTexts.deleted, failed: campaignTexts.notDeleted },
  send: { done: campaignTexts.sent, failed: campaignTexts.notSent },
}

export const typeNames: Record<CampaignType, string> = {
  email: 'Email',
  sms: 'SMS',
  push: 'Push',
  whatsapp: 'WhatsApp',
}

export interface Draft extends CouponEdit {
  name: string
  description: string
  type: CampaignType
  audience: AudienceType
  mode: AudienceMode
  filters: AudienceFilters
  emails: readonly string[]
  /** Default texts without email, for SMS and WhatsApp. */
  phones: readonly string[]
  template: TemplateChoice
  /** Mail content of the draft, kept when its type changes. */
  subject: string
  body: string
  /** The mail as a document. null: a text. */
  design: MailDocument | null
  /** SMS content of the draft, kept when its type changes. */
  sms: string
  /** Notification content of the draft, kept when its type changes. */
  pushTitle: string
  pushBody: string
  schedule: CampaignSchedule
  /** Schedule of a new campaign: sends when created. */
  isNow?: boolean
}

/** Today in the store's time zone. */
export const formatToday = (zone: string, now: number): string => toLocal(now, toKnownZone(zone)).slice(0, 10)

/** B 9. */
export function createDraft(zone: string, now: number): Draft {
  const { timeOfDay, frequency, delay } = campaignDefaults
  const schedule = { startDate: formatToday(zone, now), timeOfDay, frequency, delay, spreadHours: null }
  return {
    name: '',
    description: '',
    type: 'email',
    audience: 'abandoned_carts',
    mode: 'selected',
    emails: [],
    phones: [],
    filters: { ...campaignDefaults.filters },
    template: 'first_reminder',
    subject: '',
    body: '',
    design: null,
    sms: '',
    coupon: null,
    couponShown: null,
    pushTitle: DEFAULT_PUSH.title,
    pushBody: DEFAULT_PUSH.body,
    schedule,
    // Never propose a past time: B 9's 10:00 applies to today only before that.
    isNow: isTimePast(schedule, zone, now),
  }
}

export function toDraft({
  name,
  description,
  type,
  targetAudience,
  content,
  couponShown,
  schedule,
}: CampaignView): Draft {
  const { subject, body, design = null, template, coupon } = content
  const { type: audience, mode, filters, customerEmails: emails, customerPhones: phones } = targetAudience
  const none = {
    subject: '',
    body: '',
    design: null,
    sms: '',
    pushTitle: DEFAULT_PUSH.title,
    pushBody: DEFAULT_PUSH.body,
  }
  const texts = { ...none, ...setContent({ type }, { subject, body }), ...(type === 'email' && { design }) }
  return {
    name,
    description,
    type,
    audience,
    mode,
    filters,
    emails,
    phones,
    template,
    ...texts,
    coupon,
    couponShown,
    schedule,
  }
}

/** A copy that starts today. */
export function copyCampaign(campaign: CampaignView, zone: string, now: number): Draft {
  const draft = toDraft(campaign)
  const startDate = formatToday(zone, now)
  return { ...draft, name: `Copy of ${draft.name}`.slice(0, 120), schedule: { ...draft.schedule, startDate } }
}

/** Approved WhatsApp templates cannot contain a coupon. */
export const selectCoupon = ({ type, coupon }: Pick<Draft, 'type' | 'coupon'>) => (type === 'whatsapp' ? null : coupon)

/** Customers without an email can only get SMS and WhatsApp. */
export const selectPhones = ({ type, phones }: Pick<Draft, 'type' | 'phones'>): readonly string[] =>
  type === 'sms' || type === 'whatsapp' ? phones : []

/** Customers chosen one by one. */
export const countChosen = (draft: Pick<Draft, 'type' | 'emails' | 'phones'>): number =>
  draft.emails.length + selectPhones(draft).length

export const selectAudience = ({ type, audience, mode, filters, emails, phones }: Draft) => {
  const isSelected = audience === 'specific_customers' || mode === 'selected'
  return {
    type: audience,
    mode: isSelected ? ('selected' as const) : mode,
    filters: audience === 'abandoned_carts' ? removeEmpty(filters) : {},
    customerEmails: isSelected ? [...emails] : [],
    customerPhones: isSelected ? [...selectPhones({ type, phones })] : [],
  }
}

/** Filters that are set. */
const removeEmpty = (filters: AudienceFilters): AudienceFilters =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value != null))

type CampaignInput = z.input<typeof createCampaign.body>

export function toCampaignInput(
  draft: Draft,
  more: Pick<CampaignInput, 'sendNow' | 'platform' | 'storeId'> = {},
): CampaignInput {
  const { name, description, type, template, schedule } = draft
  const { subject, body } = getContent(draft)
  const targetAudience = selectAudience(draft)
  const isChosenByHand = targetAudience.type === 'abandoned_carts' && targetAudience.mode === 'selected'
  return {
    name: name.trim(),
    description: description.trim(),
    type,
    targetAudience,
    ...(isChosenByHand && { customerEmails: targetAudience.customerEmails }),
    content: {
      ...(type === 'email' && isDesigned(draft.design)
        ? // The server derives its text.
          { design: draft.design }
        : { subject: type === 'sms' || type === 'whatsapp' ? '' : subject, body: type === 'whatsapp' ? '' : body }),
      template: draft.audience === 'specific_customers' ? 'custom' : template,
      coupon: selectCoupon(draft),
    },
    schedule: draft.audience === 'specific_customers' ? { ...schedule, delay: 0 } : schedule,
    ...more,
  }
}

export const isSameDraft = (a: Draft, b: Draft): boolean => serializeDraft(a) === serializeDraft(b)

/** JSON cannot express NaN. */
const serializeDraft = (draft: Draft) =>
  JSON.stringify(toCampaignInput(draft), (_, value) => (Number.isNaN(value) ? 'no number' : value))

export const steps = ['details', 'audience', 'template', 'schedule'] as const
export type StepName = (typeof steps)[number]

/** B 2. */
export const stepTitles: Record<StepName, string> = {
  details: 'Campaign Details',
  audience: 'Target Audience',
  template: 'Email Template',
  schedule: 'Schedule & Send',
}

export const getStepTitle = (step: StepName, type: CampaignType): string =>
  step === 'template' && type !== 'email' ? 'Message' : stepTitles[step]

export type Problems = Partial<
  Record<
    | ('name' | 'type' | 'people' | 'mode' | NumberName)
    | ('subject' | 'body' | 'coupon' | 'pauseDays' | 'aboveAmount' | 'startDate' | 'timeOfDay' | 'frequency'),
    string
  >
>

export const stepOfField: Record<keyof Problems, StepName> = {
  name: 'details',
  type: 'details',
  people: 'audience',
  mode: 'audience',
  minCartValue: 'audience',
  maxCartValue: 'audience',
  minAbandonTime: 'audience',
  maxAbandonTime: 'audience',
  subject: 'template',
  body: 'template',
  coupon: 'template',
  pauseDays: 'template',
  aboveAmount: 'template',
  startDate: 'schedule',
  timeOfDay: 'schedule',
  frequency: 'schedule',
}

/** The first step with an error. */
export const findProblemStep = (problems: Problems): StepName | null =>
  steps.find((step) => Object.keys(problems).some((field) => stepOfField[field as keyof Problems] === step)) ?? null

/** `today` null: keep the start as it is. */
export function checkDraft(draft: Draft, today: string | null): Problems {
  const { name, type, mode, audience, filters, schedule } = draft
  const { subject, body } = getContent(draft)
  const chosen = countChosen(draft)
  const isSelected = audience === 'specific_customers' || mode === 'selected'
  const isRecurring = schedule.frequency !== 'once'
  const hasFilters = audience === 'abandoned_carts'
  const isMail = type === 'email' || type === 'push'
  const text = type === 'whatsapp' ? 'approved' : body
  const design = type === 'email' && isDesigned(draft.design) ? draft.design : null
  return removeBlank({
    name: name.trim() === '' && campaignTexts.noName,
    people:
      (isSelected && chosen === 0 && audienceTexts.none) ||
      (isSelected && chosen > MAX_SELECTED && audienceTexts.tooMany),
    ...(hasFilters && checkNumbers(filters)),
    subject:
      isMail &&
      ((subject.trim() === '' && (type === 'push' ? campaignTexts.noTitle : campaignTexts.noSubject)) ||
        unknownText(subject, false)),
    body: (text.trim() === '' && campaignTexts.noBody) || unknownText(text, false),
    ...findCartVariables(draft),
    ...(design && { subject: false, body: describeProblem(design) }),
    ...couponProblems(selectCoupon(draft)),
    startDate:
      (!/^\d{4}-\d\d-\d\d$/.test(schedule.startDate) && 'Enter a date.') ||
      (today !== null && schedule.startDate < today && campaignTexts.pastStart),
    timeOfDay: !/^\d\d:\d\d$/.test(schedule.timeOfDay) && 'Enter a time.',
    frequency: isRecurring && isSelected && campaignTexts.recurringNeedsMatching,
  })
}

/** The first problem of a designed email. */
function describeProblem(design: MailDocument): string | false {
  const [problem] = findMailProblems(design)
  return problem ? `${problem.where}: ${problem.text}` : false
}

/** The filters are invalid, so nothing can be counted or listed. */
export const hasInvalidNumbers = ({ audience, filters }: Pick<Draft, 'audience' | 'filters'>): boolean =>
  audience === 'abandoned_carts' && Object.keys(checkNumbers(filters)).length > 0

const removeBlank = (all: Record<string, string | false | undefined>): Problems =>
  Object.fromEntries(Object.entries(all).filter(([, text]) => text))

/** The server's field errors: `content.subject`, `customerEmails`. */
export function mapRefusedFields(fields: Readonly<Record<string, string>>): Problems {
  const known = Object.entries(fields).flatMap(([path, text]) => {
    const last = path.split('.').at(-1)!
    const name = path.includes('mode') ? 'frequency' : /customer(Emails|Phones)/.test(path) ? 'people' : last
    const field = path.includes('coupon') && !(name in stepOfField) ? 'coupon' : name
    return field in stepOfField ? [[field, text] as const] : []
  })
  return Object.fromEntries(known)
}

/**
 * Text for what needs a larger plan, or null. If the plan is unknown the server decides.
 */
export function findPlanGate(
  draft: Draft,
  plan: PlanKey | null | undefined,
  today: string,
): { step: StepName; text: string } | null {
  if (!plan) return null
  const { type, audience, filters, schedule } = draft
  const isPlanned = schedule.frequency !== 'once' || schedule.startDate > today
  const isFiltering = audience === 'abandoned_carts' && isFiltered(filters)
  const lacks = (feature: Feature) => !featurePlans[feature].includes(plan)
  if (type === 'sms' && lacks('manual_texts')) return { step: 'details', text: campaignTexts.smsPlan }
  if (type === 'whatsapp' && lacks('campaign_texts')) return { step: 'details', text: campaignTexts.whatsappPlan }
  if (isFiltering && lacks('audience_filters')) return { step: 'audience', text: campaignTexts.filterPlan }
  if (!isPlanned) return null
  if (type === 'sms' && lacks('campaign_texts')) return { step: 'schedule', text: campaignTexts.plannedSmsPlan }
  return lacks('scheduled_campaigns') ? { step: 'schedule', text: campaignTexts.scheduledPlan } : null
}

/** Default filters need no plan. */
export const isFiltered = (filters: AudienceFilters): boolean =>
  Object.entries(removeEmpty(filters)).some(
    ([name, value]) => value !== (DEFAULT_FILTERS as AudienceFilters)[name as 'badge'],
  )

type Times = Pick<CampaignSchedule, 'startDate' | 'timeOfDay' | 'frequency'>

/** When the first run is due; null without a valid date and time. */
const findFirstRun = ({ startDate, timeOfDay }: Times, zone: string): number | null => {
  const instant = toInstant(`${startDate}T${timeOfDay}`, toKnownZone(zone))
  return instant === null ? null : Date.parse(instant)
}

/** The first time has passed: the user must confirm it. */
export function isTimePast(schedule: Times, zone: string, now: number): boolean {
  const first = findFirstRun(schedule, zone)
  return first !== null && first <= now
}

/** Tomorrow in the store's time zone, at the default time. */
export const moveToTomorrow = (schedule: CampaignSchedule, zone: string, now: number): CampaignSchedule => {
  const tomorrow = new Date(Date.parse(formatToday(zone, now)) + DAY_MS).toISOString().slice(0, 10)
  return { ...schedule, startDate: tomorrow, timeOfDay: campaignDefaults.timeOfDay }
}

const DAY_MS = 86_400_000

/** "Monday, November 23, 2026 at 10:00 AM" in the store's time zone. */
export const formatInZone = (instant: string | number, zone: string): string =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeStyle: 'short', timeZone: toKnownZone(zone) }).format(
    new Date(instant),
  )

const rhythm = { once: '', daily: ', then every day', weekly: ', then every week', monthly: ', then every month' }

/** Schedule as text. `isNew`: not created yet. */
export function describeRun(
  schedule: Times,
  { zone, now, isNew }: { zone: string; now: number; isNew: boolean },
): string {
  const first = findFirstRun(schedule, zone)
  if (first === null) return 'Enter a date and a time.'
  const after = rhythm[schedule.frequency]
  if (first > now) return `Runs ${after ? 'first ' : 'once '}on ${formatInZone(first, zone)}${after}.`
  if (!isNew) return `${after ? 'Started' : 'Was due'} on ${formatInZone(first, zone)}${after}.`
  return `That time has passed. You can send now or pick another time.`
}

/** "Takes about 40 minutes"; null if unknown or without recipients. */
export function describeEnd(minutes: number | null, spreadHours: number | null): string | null {
  if (spreadHours !== null) return `Spread over ${formatCounted(spreadHours, 'hour')}.`
  if (minutes === null) return null
  if (minutes <= 1) return 'Takes about a minute at your sending rate.'
  const span =
    minutes < 120 ? formatCounted(Math.round(minutes), 'minute') : formatCounted(Math.round(minutes / 60), 'hour')
  return `Takes about ${span} at your sending rate.`
}

/** Audience label of the list. */
export function describeAudience({ targetAudience }: Pick<CampaignView, 'targetAudience'>): string {
  const { type, mode, customerEmails, customerPhones } = targetAudience
  const chosen = formatCounted(customerEmails.length + customerPhones.length, 'customer')
  if (type === 'specific_customers') return chosen
  return mode === 'matching' ? 'All that match' : `${chosen}, selected`
}

/** Props of every step in the dialog and every tab of the page. */
export interface StepProps {
  draft: Draft
  problems: Problems
  isReadOnly: boolean
  /** Some messages of the campaign have been sent. */
  hasBegun?: boolean
  onChange: (next: Partial<Draft>) => void
}
