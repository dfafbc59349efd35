import {
  Checkbox,
  Group,
  Input,
  NativeSelect,
  NumberInput,
  Radio,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useRef, useState } from 'react'
import type { z } from 'zod'
import type { CartBadge } from '../../../shared/carts/carts.ts'
import { getCurrencyExponent } from '../../../shared/core/money.ts'
import { pushTexts } from '../../../shared/delivery/push.ts'
import type { AudienceFilters } from '../../../shared/marketing/audience.ts'
import { audienceTexts, MAX_SELECTED } from '../../../shared/marketing/audience.ts'
import type { CampaignType, EmailTemplate as Template, TemplateChoice } from '../../../shared/marketing/campaigns.ts'
import { campaignTexts, delayNames } from '../../../shared/marketing/campaigns.ts'
import { isDesigned } from '../../../shared/messages/mail-document.ts'
import { capabilities } from '../../../shared/platforms/platforms.ts'
import { useHasFeature, useStore } from '../../core/access/queries.ts'
import { useNow } from '../../core/ui/clock.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { toKnownZone } from '../../core/ui/zone.ts'
import { ProductField } from '../../kits/audiences/ProductField.tsx'
import { SavedAudiences } from '../../kits/audiences/SavedAudiences.tsx'
import { badgeStyles } from '../../kits/carts/badges.tsx'
import { MailDesign } from '../../kits/mail-editor/MailDesign.tsx'
import { CartPreview } from '../../kits/message-editor/CartPreview.tsx'
import { WordEditor } from '../../kits/message-editor/WordEditor.tsx'
import { UpgradeNotice } from '../billing/UpgradeNotice.tsx'
import { allCountries } from '../consent/country-groups.ts'
import { AudienceCount } from './AudienceCount.tsx'
import { useDebouncedCount } from './AudienceStep.tsx'
import { getContent, setContent } from './content.ts'
import { chooseContent, findCartVariables } from './default-content.ts'
import { checkNumbers, parseFilterNumber } from './filter-number.ts'
import { frequencyNames } from './frequencies.ts'
import { PeoplePicker } from './PeoplePicker.tsx'
import { useTemplates } from './queries.ts'
import type { StepName, StepProps } from './rules.ts'
import { countChosen, type Draft, formatToday, hasInvalidNumbers, isFiltered, typeNames } from './rules.ts'
import { Summary } from './Summary.tsx'
import { applySendTime } from './send-time.ts'

/** One of the four steps, in the dialog and on the campaign's page. */
export function Step({ step, campaignId, ...props }: StepProps & { step: StepName; campaignId?: string | undefined }) {
  if (step === 'details') return <DetailsStep {...props} />
  if (step === 'audience') return <AudienceStep {...props} campaignId={campaignId} />
  if (step === 'template') return <TemplateStep {...props} />
  return (
    <>
      <ScheduleStep {...props} />
      <Summary draft={props.draft} campaignId={campaignId} />
    </>
  )
}

const TYPES: readonly CampaignType[] = ['email', 'sms', 'whatsapp', 'push']

const about: Record<CampaignType, string | null> = {
  email: null,
  sms: 'Through your own account at Twilio. You pay for each segment.',
  whatsapp: 'Through your own account at Twilio or Meta, with an approved template.',
  push: 'To shoppers who have allowed notifications in your shop.',
}

/** B 2, step 1. */
function DetailsStep({ draft, problems, isReadOnly, hasBegun = false, onChange }: StepProps) {
  const store = useStore()
  const isMissing = (type: CampaignType) => type === 'push' && store !== null && !capabilities[store.platform].pushHost
  return (
    <Stack gap="md">
      <TextInput
        label="Campaign name"
        required
        data-autofocus
        maxLength={120}
        readOnly={isReadOnly}
        value={draft.name}
        error={problems.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <Textarea
        label="Description (optional)"
        description="Only you and your team see it."
        autosize
        minRows={2}
        maxLength={500}
        readOnly={isReadOnly}
        value={draft.description}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
      />
      <Radio.Group
        label="Type"
        value={draft.type}
        {...(hasBegun && { description: 'The type cannot be changed after the first run.' })}
        onChange={(type) => onChange({ type: type as CampaignType })}
      >
        <Stack gap="xs" mt="xs">
          {TYPES.map((type) => (
            <Radio
              key={type}
              value={type}
              label={typeNames[type]}
              description={isMissing(type) ? pushTexts.noHost : about[type]}
              disabled={isReadOnly || isMissing(type) || (hasBegun && type !== draft.type)}
            />
          ))}
        </Stack>
      </Radio.Group>
      {problems.type && <Input.Error>{problems.type}</Input.Error>}
    </Stack>
  )
}

const MOST_SPREAD_HOURS = 72
const FIRST_SPREAD_HOURS = 4
const MINUTE_MS = 60_000

/** B 2, step 4: the schedule. */
function ScheduleStep({ draft, problems, isReadOnly, onChange }: StepProps) {
  const { schedule } = draft
  const zone = toKnownZone(useStore()?.timeZone ?? 'UTC')
  const today = formatToday(zone, useNow(MINUTE_MS))
  const change = (next: Partial<Draft['schedule']>) => onChange({ schedule: { ...schedule, ...next } })
  const { isNow } = draft
  const choose = (when: string) => onChange(applySendTime(when === 'now', draft, zone, Date.now()))
  return (
    <Stack gap="md">
      {isNow !== undefined && (
        <SegmentedControl
          aria-label="When to send"
          data={[
            { value: 'now', label: 'Send now' },
            { value: 'later', label: 'Schedule' },
          ]}
          value={isNow ? 'now' : 'later'}
          onChange={choose}
        />
      )}
      {!isNow && (
        <>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <TextInput
              type="date"
              label="Start date"
              min={today}
              readOnly={isReadOnly}
              value={schedule.startDate}
              error={problems.startDate}
              onChange={(event) => change({ startDate: event.currentTarget.value })}
            />
            <TextInput
              type="time"
              label="Time"
              readOnly={isReadOnly}
              value={schedule.timeOfDay}
              error={problems.timeOfDay}
              onChange={(event) => change({ timeOfDay: event.currentTarget.value.slice(0, 5) })}
            />
          </SimpleGrid>
          <Text fz="sm" c="dimmed">
            Dates and times are in your store’s time zone, {zone}.
          </Text>
          <NativeSelect
            label="Frequency"
            disabled={isReadOnly}
            data={Object.entries(frequencyNames).map(([value, label]) => ({ value, label }))}
            value={schedule.frequency}
            error={problems.frequency}
            onChange={(event) => change({ frequency: event.currentTarget.value as Draft['schedule']['frequency'] })}
          />
        </>
      )}
      {draft.audience === 'abandoned_carts' && (
        <NativeSelect
          label="Send delay"
          description="Minimum time between abandonment and the message"
          disabled={isReadOnly}
          data={Object.entries(delayNames).map(([value, label]) => ({ value, label }))}
          value={String(schedule.delay)}
          onChange={(event) => change({ delay: Number(event.currentTarget.value) })}
        />
      )}
      <Group gap="sm" align="center">
        <Checkbox
          label="Spread each run over hours"
          disabled={isReadOnly}
          checked={schedule.spreadHours !== null}
          onChange={(event) => change({ spreadHours: event.currentTarget.checked ? FIRST_SPREAD_HOURS : null })}
        />
        {schedule.spreadHours !== null && (
          <NumberInput
            aria-label="Hours of each run"
            w={90}
            size="xs"
            min={1}
            max={MOST_SPREAD_HOURS}
            allowDecimal={false}
            readOnly={isReadOnly}
            value={schedule.spreadHours}
            onChange={(hours) => change({ spreadHours: Math.max(1, Number(hours) || 1) })}
          />
        )}
      </Group>
    </Stack>
  )
}

/** B 2, step 3: the content. */
function TemplateStep({ draft, problems, isReadOnly, onChange }: StepProps) {
  const templates = useTemplates()
  const previousTexts = useRef(new Map<TemplateChoice, Pick<Draft, 'subject' | 'body' | 'design'>>())
  const { data, error, refetch } = templates
  if (!data) {
    if (!error) return <LoadingList count={3} />
    return <Failed title="The templates could not be loaded" error={error} onRetry={() => refetch()} />
  }
  const { type, template, subject, body, design } = draft
  /** Edits of a template are restored when the user returns to it. */
  const choose = (id: string) => {
    const next = data.campaign.find((each) => each.id === id)
    if (!next) return
    previousTexts.current.set(template, { subject, body, design })
    onChange({
      template: next.id,
      ...(previousTexts.current.get(next.id) ?? { subject: next.subject, body: next.body, design: null }),
    })
  }
  const isWithoutCart = draft.audience === 'specific_customers'
  const offered = data.campaign.filter(({ id }) => !isWithoutCart || id === 'custom')
  const chosen = isWithoutCart ? 'custom' : template
  const isListed = offered.some(({ id }) => id === chosen)
  const choices = isListed ? offered : [{ id: chosen, name: 'Custom text' }, ...offered]
  const content = getContent(draft)
  return (
    <WordEditor
      layout="toggle"
      channel={type}
      words={content}
      coupon={{ edit: draft, onChange }}
      problems={{ ...findCartVariables(draft), ...problems }}
      isWithoutCart={isWithoutCart}
      templates={{ choices, value: chosen, onChoose: choose }}
      approved={data.whatsapp}
      isReadOnly={isReadOnly}
      onWords={(next) => onChange(setContent(draft, next))}
      design={{
        isOwn: isDesigned(design),
        link: (
          <MailDesign
            title={draft.name.trim() || 'Campaign'}
            design={design ?? findOpened(data.campaign, content)}
            text={content}
            isReadOnly={isReadOnly}
            onChange={(next) => onChange({ design: next })}
            onText={() => onChange({ design: null })}
          />
        ),
      }}
      preview={
        <CartPreview
          channel={type}
          words={content}
          design={design}
          coupon={draft.coupon}
          isWithoutCart={isWithoutCart}
          onBody={(text) => onChange(setContent(draft, { body: text }))}
        />
      }
    />
  )
}

/** The ready text as blocks, if this is one. */
const findOpened = (ready: readonly z.infer<typeof Template>[], { subject, body }: { subject: string; body: string }) =>
  ready.find((each) => each.subject === subject && each.body === body)?.design

/** B 2, step 2: the audience. */
function AudienceStep({ campaignId, ...props }: StepProps & { campaignId?: string | undefined }) {
  const { draft, problems, isReadOnly, onChange } = props
  const { audience, mode } = draft
  const count = useDebouncedCount(draft, campaignId)
  const isChosenByHand = audience === 'specific_customers' || mode === 'selected'
  const ofCarts = useRef<Pick<Draft, 'template' | 'subject' | 'body' | 'design' | 'sms'> | null>(null)
  const chooseAudience = (next: Draft['audience']) => {
    const { template, subject, body, design, sms } = draft
    onChange({ audience: next, emails: [], phones: [], ...chooseContent(next, draft, ofCarts.current) })
    if (next === 'specific_customers') ofCarts.current = { template, subject, body, design, sms }
  }
  return (
    <Stack gap="md">
      <SegmentedControl
        aria-label="Audience"
        disabled={isReadOnly}
        value={audience}
        onChange={(value) => chooseAudience(value as Draft['audience'])}
        data={[
          { value: 'abandoned_carts', label: 'Abandoned carts' },
          { value: 'specific_customers', label: 'Customers' },
        ]}
      />
      {audience === 'specific_customers' && (
        <Text fz="sm" c="dimmed">
          Selected customers, with or without a cart. The message cannot mention a cart.
        </Text>
      )}
      {audience === 'abandoned_carts' && (
        <SegmentedControl
          aria-label="How customers are chosen"
          disabled={isReadOnly}
          value={mode}
          onChange={(value) => onChange({ mode: value as Draft['mode'] })}
          data={[
            { value: 'selected', label: 'Select manually' },
            { value: 'matching', label: 'All that match' },
          ]}
        />
      )}
      {props.hasBegun && (
        <Notice tone="info">{isChosenByHand ? audienceTexts.begunSelected : audienceTexts.begunMatching}</Notice>
      )}
      {audience === 'abandoned_carts' && <FilterFields {...props} />}
      {isChosenByHand && !hasInvalidNumbers(draft) && (
        <PeoplePicker
          key={audience}
          draft={draft}
          abandonedOnly={audience === 'abandoned_carts'}
          isReadOnly={isReadOnly}
          onChange={onChange}
        />
      )}
      {isChosenByHand && countChosen(draft) > MAX_SELECTED && !problems.people && (
        <Input.Error>{audienceTexts.tooMany}</Input.Error>
      )}
      {problems.people && <Input.Error role="alert">{problems.people}</Input.Error>}
      {count && <AudienceCount count={count} />}
    </Stack>
  )
}

const DEFAULT_CURRENCY = 'USD'

/** Filters for abandoned carts, applied again at each run, or for the list to pick customers from. */
function FilterFields({ draft: { filters }, problems, isReadOnly, onChange }: StepProps) {
  const hasFilters = useHasFeature('audience_filters')
  const change = (next: Partial<AudienceFilters>) => onChange({ filters: { ...filters, ...next } })
  return (
    <Stack gap="md" component="section" aria-label="Filters">
      {hasFilters === false && isFiltered(filters) && <UpgradeNotice text={campaignTexts.filterPlan} />}
      <SavedAudiences filters={filters} isReadOnly={isReadOnly} onChoose={(saved) => onChange({ filters: saved })} />
      <Numbers filters={filters} problems={problems} isReadOnly={isReadOnly} onChange={change} />
      <OtherFilters filters={filters} isReadOnly={isReadOnly} onChange={change} />
    </Stack>
  )
}

const badges = Object.keys(badgeStyles) as CartBadge[]

const countryChoices = allCountries.map(({ code, name }) => ({ value: code, label: name }))

interface FieldsProps extends Pick<StepProps, 'isReadOnly'> {
  filters: AudienceFilters
  onChange: (next: Partial<AudienceFilters>) => void
}

function Numbers({ filters, problems, isReadOnly, onChange }: FieldsProps & Pick<StepProps, 'problems'>) {
  const currency = useStore()?.currency ?? DEFAULT_CURRENCY
  const decimals = Math.min(getCurrencyExponent(currency), 2)
  const found = { ...problems, ...checkNumbers(filters) }
  const fields = [
    { name: 'minCartValue', label: `Minimum cart value (${currency})`, decimals },
    { name: 'maxCartValue', label: `Maximum cart value (${currency})`, decimals },
    { name: 'minAbandonTime', label: 'Minimum hours since abandonment', decimals: 1 },
    { name: 'maxAbandonTime', label: 'Maximum hours since abandonment', decimals: 1 },
  ] as const
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      {fields.map((field) => (
        <NumberFilter
          key={field.name}
          {...field}
          isReadOnly={isReadOnly}
          value={filters[field.name] ?? null}
          error={found[field.name]}
          onChange={(value) => onChange({ [field.name]: value })}
        />
      ))}
    </SimpleGrid>
  )
}

function OtherFilters({ filters, isReadOnly, onChange }: FieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <NativeSelect
        label="Status of the cart"
        disabled={isReadOnly}
        data={[{ value: '', label: 'Any' }, ...badges]}
        value={filters.badge ?? ''}
        onChange={(event) => onChange({ badge: badges.find((badge) => badge === event.currentTarget.value) ?? null })}
      />
      <NativeSelect
        label="Received a message before"
        disabled={isReadOnly}
        data={[
          { value: '', label: 'Any' },
          { value: 'no', label: 'No' },
          { value: 'yes', label: 'Yes' },
        ]}
        value={filters.mailedBefore ?? ''}
        onChange={(event) => onChange({ mailedBefore: (event.currentTarget.value || null) as 'yes' | 'no' | null })}
      />
      <Select
        label="Country of the customer"
        placeholder="Any"
        searchable
        clearable
        readOnly={isReadOnly}
        data={countryChoices}
        value={filters.country ?? null}
        onChange={(country) => onChange({ country })}
      />
      <ProductField
        value={filters.productId ?? null}
        isReadOnly={isReadOnly}
        onChange={(productId) => onChange({ productId })}
      />
    </SimpleGrid>
  )
}

interface Props {
  label: string
  decimals: number
  isReadOnly: boolean
  /** NaN: the input is not a valid number. */
  value: number | null
  error: string | undefined
  onChange: (value: number | null) => void
}

/** Keeps the raw input; invalid numbers are marked and never reinterpreted. */
function NumberFilter({ label, decimals, isReadOnly, value, error, onChange }: Props) {
  const [typed, setTyped] = useState(formatNumber(value))
  const read = parseFilterNumber(typed, decimals)
  // Replaced from outside, by a saved audience or a restored draft.
  const isReplaced = !Number.isNaN(value) && !Object.is(read.value, value)
  const text = isReplaced ? formatNumber(value) : typed
  return (
    <TextInput
      label={label}
      placeholder="Any"
      inputMode="decimal"
      readOnly={isReadOnly}
      value={text}
      error={(isReplaced ? undefined : read.problem) ?? error}
      onChange={(event) => {
        const next = event.currentTarget.value.slice(0, 20)
        setTyped(next)
        onChange(parseFilterNumber(next, decimals).value)
      }}
    />
  )
}

const formatNumber = (value: number | null): string => (value === null || Number.isNaN(value) ? '' : String(value))
