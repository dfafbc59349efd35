import { Button, Group, Stack } from '@mantine/core'
import { useEffect } from 'react'
import type { Location } from 'react-router'
import { type Coupon, couponTexts } from '../../shared/coupons.ts'
import { useKeepFormOpen } from '../access/open-forms.ts'
import { useStore } from '../access/queries.ts'
import { ErrorBanner } from '../ui/ErrorBanner.tsx'
import { Notice } from '../ui/Notice.tsx'
import { useLeaveGuard } from '../ui/useLeaveGuard.tsx'
import { toKnownZone } from '../ui/zone.ts'
import { CodeField, DateFields, DiscountFields, KindField, LimitFields } from './CouponFields.tsx'
import type { CouponList } from './queries.ts'
import { ReadOnlyKey } from './ReadOnlyKey.tsx'
import { useCouponForm } from './useCouponForm.ts'

interface Props {
  /** null: a new coupon. */
  coupon: Coupon | null
  list: CouponList
  /** Whether the confirmation for unsaved changes is open. */
  onAsking: (isAsking: boolean) => void
  onClose: () => void
}

/** Leaving the form means another path or another position in the address. */
const isLeft = (from: Location, to: Location) => from.pathname !== to.pathname || formOf(from) !== formOf(to)

const formOf = ({ search }: Location) => new URLSearchParams(search).get('form')

export function CouponForm({ coupon, list, onAsking, onClose }: Props) {
  const where = { currency: list.currency, zone: toKnownZone(list.timeZone) }
  const { form, problem, isPending, isSaved, submit, dismiss } = useCouponForm(coupon, where)
  const { isAsking, question } = useLeaveGuard(form.isDirty() && !isSaved, isLeft)
  const isConnected = useStore() !== null
  useKeepFormOpen(form.isDirty() && !isSaved)
  useEffect(() => onAsking(isAsking), [isAsking, onAsking])
  // Once, after the navigation block is lifted.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `onClose` is another one each time
  useEffect(() => {
    if (isSaved) onClose()
  }, [isSaved])
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <CodeField form={form} />
        <KindField form={form} isKept={coupon !== null} />
        <DiscountFields form={form} currency={where.currency} />
        <DateFields form={form} zone={where.zone} />
        <LimitFields form={form} />
        <Stack gap="sm" className="dialog-foot">
          <WhatIsWrong isConnected={isConnected} problem={problem} onDismiss={dismiss} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isPending} disabled={!isConnected}>
              {coupon ? 'Save' : 'Create coupon'}
            </Button>
          </Group>
        </Stack>
      </Stack>
      {question}
    </form>
  )
}

interface WrongProps {
  isConnected: boolean
  problem: string | null
  onDismiss: () => void
}

function WhatIsWrong({ isConnected, problem, onDismiss }: WrongProps) {
  if (!isConnected) {
    return (
      <Notice tone="bad" isLive>
        {couponTexts.noStore}
      </Notice>
    )
  }
  if (problem === couponTexts.readOnlyKey) return <ReadOnlyKey isLive />
  return problem && <ErrorBanner onDismiss={onDismiss}>{problem}</ErrorBanner>
}
