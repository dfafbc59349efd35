import { Button, Group, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect, useState } from 'react'
import type { Location } from 'react-router'
import { type Coupon, couponTexts } from '../../../shared/carts/coupons.ts'
import { useDraft } from '../../core/access/drafts.ts'
import { useKeepFormOpen } from '../../core/access/open-forms.ts'
import { useStore } from '../../core/access/queries.ts'
import { ApiError, getErrorText, hasFieldError } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { ErrorBanner } from '../../core/ui/ErrorBanner.tsx'
import { focusFirstError } from '../../core/ui/focusFirstError.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { useLeaveGuard } from '../../core/ui/useLeaveGuard.tsx'
import { toKnownZone } from '../../core/ui/zone.ts'
import type { CouponList } from '../../kits/coupons/queries.ts'
import { useCreateCoupon, useUpdateCoupon } from '../../kits/coupons/queries.ts'
import { formatCode } from '../../kits/coupons/rules.ts'
import { CodeField, DateFields, DiscountFields, KindField, LimitFields } from './CouponFields.tsx'
import type { CouponValues } from './form.ts'
import { checkCoupon, createValues, toCouponInput, toValues } from './form.ts'
import { ReadOnlyKey } from './ReadOnlyKey.tsx'

interface Props {
  /** null: a new coupon. */
  coupon: Coupon | null
  list: CouponList
  /** Whether the confirmation for unsaved changes is open. */
  onAsking: (isAsking: boolean) => void
  onClose: () => void
}

/** Leaving the form means another path or another position in the address. */
const isOtherPage = (from: Location, to: Location) =>
  from.pathname !== to.pathname || readFormParam(from) !== readFormParam(to)

const readFormParam = ({ search }: Location) => new URLSearchParams(search).get('form')

export function CouponForm({ coupon, list, onAsking, onClose }: Props) {
  const where = { currency: list.currency, zone: toKnownZone(list.timeZone) }
  const { form, problem, isPending, isSaved, submit, dismiss } = useCouponForm(coupon, where)
  const { isAsking, question } = useLeaveGuard(form.isDirty() && !isSaved, isOtherPage)
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
        <KindField form={form} isExisting={coupon !== null} />
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

/** Form state of a new or edited coupon. */
function useCouponForm(coupon: Coupon | null, where: { currency: string; zone: string }) {
  const { save, error, isPending, reset } = useSave(coupon)
  const [isSaved, setSaved] = useState(false)
  const form = useForm<CouponValues>({
    initialValues: coupon ? toValues(coupon, where.zone) : createValues(Date.now(), where.zone),
    validate: (values) => checkCoupon(values, where),
  })
  useDraft(`coupon:${coupon?._id ?? 'new'}`, form.isDirty() && !isSaved ? form.values : null, form.setValues)
  const isRefused = (cause: Error) => {
    if (!(cause instanceof ApiError)) return
    form.setErrors(cause.fields)
    focusFirstError('[role=dialog]')
  }
  const submit = form.onSubmit(
    (values) => {
      if (isPending) return
      save(toCouponInput(values, where.zone, coupon), {
        onSuccess: (saved) => {
          announce(`${formatCode(saved.coupon)} ${coupon ? 'saved' : 'created'}`)
          setSaved(true)
        },
        onError: isRefused,
      })
    },
    () => focusFirstError('[role=dialog]'),
  )
  const fallback = coupon ? couponTexts.updateFailed : couponTexts.createFailed
  const problem = error && !hasFieldError(error as ApiError) ? getErrorText(error, fallback) : null
  return { form, problem, isPending, isSaved, submit, dismiss: reset }
}

type Input = ReturnType<typeof toCouponInput>

interface Answers {
  onSuccess: (saved: { coupon: Coupon }) => void
  onError: (error: Error) => void
}

function useSave(coupon: Coupon | null) {
  const create = useCreateCoupon()
  const update = useUpdateCoupon()
  const { error, isPending, reset } = coupon ? update : create
  const save = (body: Input, answers: Answers) =>
    coupon ? update.mutate({ id: coupon._id, body }, answers) : create.mutate(body, answers)
  return { save, error, isPending, reset }
}
