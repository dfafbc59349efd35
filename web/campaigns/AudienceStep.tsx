import { Input, SegmentedControl, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useRef, useState } from 'react'
import { audienceTexts, MAX_SELECTED } from '../../shared/audience.ts'
import { Notice } from '../ui/Notice.tsx'
import { AudienceCount } from './AudienceCount.tsx'
import { chooseContent } from './default-content.ts'
import { FilterFields } from './FilterFields.tsx'
import { PeoplePicker } from './PeoplePicker.tsx'
import { type CountBody, useAudienceCount } from './queries.ts'
import { countChosen, type Draft, hasInvalidNumbers, type StepProps, selectAudience, selectCoupon } from './rules.ts'

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
