import { Input, SegmentedControl, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useRef, useState } from 'react'
import { audienceTexts, MAX_SELECTED } from '../../shared/audience.ts'
import { Notice } from '../ui/Notice.tsx'
import { AudienceCount } from './AudienceCount.tsx'
import { chooseContent } from './default-content.ts'

import { PeoplePicker } from './PeoplePicker.tsx'
import { type CountBody, useAudienceCount } from './queries.ts'
import { countChosen, type Draft, hasInvalidNumbers, type StepProps, selectAudience, selectCoupon } from './rules.ts'
import { NativeSelect, Select, SimpleGrid } from '@mantine/core'
import type { AudienceFilters } from '../../shared/audience.ts'
import { campaignTexts } from '../../shared/campaigns.ts'
import type { CartBadge } from '../../shared/carts.ts'
import { currencyExponent } from '../../shared/money.ts'
import { useHasFeature, useStore } from '../access/queries.ts'
import { ProductField } from '../audiences/ProductField.tsx'
import { SavedAudiences } from '../audiences/SavedAudiences.tsx'
import { UpgradeNotice } from '../billing/UpgradeNotice.tsx'
import { badgeLooks } from '../carts/badges.tsx'
import { allCountries } from '../consent/country-groups.ts'
import { checkNumbers } from './filter-number.ts'

import { isFiltered } from './rules.ts'
import { TextInput } from '@mantine/core'
import { parseFilterNumber } from './filter-number.ts'

const PAUSE_MS = 500

/** B 2, step 2: the audience. */
export function AudienceStep({ campaignId, ...props }: StepProps & { campaignId?: string | undefined }) {
  const { draft, problems, isReadOnly, onChange } = props
  const { audience, mode } = draft
  const count = useDebouncedCount(draft, campaignId)
  const isChosenByHand = audience === 'specific_customers' || mode === 'selected'
  const ofCarts = useRef<Pick<Draft, 'template' | 'subject' | 'body' | 'sms'> | null>(null)
  const turnTo = (next: Draft['audience']) => {
    const { template, subject, body, sms } = draft
    onChange({ audience: next, emails: [], phones: [], ...chooseContent(next, draft, ofCarts.current) })
    if (next === 'specific_customers') ofCarts.current = { template, subject, body, sms }
  }
  return (
    <Stack gap="md">
      <SegmentedControl
        aria-label="Audience"
        disabled={isReadOnly}
        value={audience}
        onChange={(value) => turnTo(value as Draft['audience'])}
        data={[
          { value: 'abandoned_carts', label: 'Abandoned carts' },
          { value: 'specific_customers', label: 'Customers' },
        ]}
      />
      {audience === 'specific_customers' && (
        <Text fz="sm" c="dimmed">
          Chosen customers, with or without a cart. They get the message when the campaign runs, and it cannot speak of
          a cart.
        </Text>
      )}
      {audience === 'abandoned_carts' && (
        <SegmentedControl
          aria-label="How customers are chosen"
          disabled={isReadOnly}
          value={mode}
          onChange={(value) => onChange({ mode: value as Draft['mode'] })}
          data={[
            { value: 'selected', label: 'Select by hand' },
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

/** Audience size, debounced while typing; null if no customer is chosen yet. */
export function useDebouncedCount(draft: Draft, campaignId?: string) {
  const asked = buildCountRequest(draft, campaignId)
  const [settled] = useDebouncedValue(asked && JSON.stringify(asked), PAUSE_MS)
  // Counts immediately when the step opens.
  const [first] = useState(settled)
  const body = settled ?? first
  const count = useAudienceCount(asked && body ? (JSON.parse(body) as CountBody) : null)
  return asked ? count : null
}

function buildCountRequest(draft: Draft, campaignId?: string): CountBody | null {
  const { type } = draft
  const targetAudience = selectAudience(draft)
  const isNobody = targetAudience.mode === 'selected' && countChosen(draft) === 0
  const isTooMany = countChosen(draft) > MAX_SELECTED
  if (isNobody || isTooMany || hasInvalidNumbers(draft)) return null
  const words = type === 'sms' && { body: draft.sms }
  const couponId = selectCoupon(draft)?.couponId ?? null
  return { type, targetAudience, couponId, ...words, ...(campaignId && { campaignId }) }
}

const DEFAULT_CURRENCY = 'USD'

/** Filters for abandoned carts, applied again at each run, or for the list to pick customers from. */
function FilterFields({ draft: { filters }, problems, isReadOnly, onChange }: StepProps) {
  const hasFilters = useHasFeature('audience_filters')
  const change = (next: Partial<AudienceFilters>) => onChange({ filters: { ...filters, ...next } })
  return (
    <Stack gap="md" component="section" aria-label="Filters">
      {hasFilters === false && isFiltered(filters) && <UpgradeNotice text={campaignTexts.filterPlan} />}
      <SavedAudiences filters={filters} isReadOnly={isReadOnly} onChoose={(kept) => onChange({ filters: kept })} />
      <Numbers filters={filters} problems={problems} isReadOnly={isReadOnly} onChange={change} />
      <OtherFilters filters={filters} isReadOnly={isReadOnly} onChange={change} />
    </Stack>
  )
}

const badges = Object.keys(badgeLooks) as CartBadge[]
const countryChoices = allCountries.map(({ code, name }) => ({ value: code, label: name }))

interface FieldsProps extends Pick<StepProps, 'isReadOnly'> {
  filters: AudienceFilters
  onChange: (next: Partial<AudienceFilters>) => void
}

function Numbers({ filters, problems, isReadOnly, onChange }: FieldsProps & Pick<StepProps, 'problems'>) {
  const currency = useStore()?.currency ?? DEFAULT_CURRENCY
  const decimals = Math.min(currencyExponent(currency), 2)
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
        label="Has had a message before"
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
  const [typed, setTyped] = useState(textOf(value))
  const read = parseFilterNumber(typed, decimals)
  // Replaced from outside, by a saved audience or a restored draft.
  const isReplaced = !Number.isNaN(value) && !Object.is(read.value, value)
  const text = isReplaced ? textOf(value) : typed
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

const textOf = (value: number | null): string => (value === null || Number.isNaN(value) ? '' : String(value))
