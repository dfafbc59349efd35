import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { MAX_SELECTED } from '../../../shared/marketing/audience.ts'

import { type CountBody, useAudienceCount } from './queries.ts'
import { countChosen, type Draft, hasInvalidNumbers, selectAudience, selectCoupon } from './rules.ts'

const PAUSE_MS = 500

/** Audience size, debounced while typing; null if no customer is chosen yet. */
export function useDebouncedCount(draft: Draft, campaignId?: string) {
  const request = buildCountRequest(draft, campaignId)
  const [settled] = useDebouncedValue(request && JSON.stringify(request), PAUSE_MS)
  // Counts immediately when the step opens.
  const [first] = useState(settled)
  const body = settled ?? first
  const count = useAudienceCount(request && body ? (JSON.parse(body) as CountBody) : null)
  return request ? count : null
}

function buildCountRequest(draft: Draft, campaignId?: string): CountBody | null {
  const { type } = draft
  const targetAudience = selectAudience(draft)
  const isEmpty = targetAudience.mode === 'selected' && countChosen(draft) === 0
  const isTooMany = countChosen(draft) > MAX_SELECTED
  if (isEmpty || isTooMany || hasInvalidNumbers(draft)) return null
  const smsText = type === 'sms' && { body: draft.sms }
  const couponId = selectCoupon(draft)?.couponId ?? null
  return { type, targetAudience, couponId, ...smsText, ...(campaignId && { campaignId }) }
}
