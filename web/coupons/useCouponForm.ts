import { useForm } from '@mantine/form'
import { useState } from 'react'
import { type Coupon, couponTexts } from '../../shared/coupons.ts'
import { useDraft } from '../access/drafts.ts'
import { isSaidAtField } from '../accounts/fields.ts'
import { getErrorText } from '../accounts/queries.ts'
import { ApiError } from '../api.ts'
import { announce } from '../ui/announce.ts'
import { focusFirstError } from '../ui/focusFirstError.ts'
import { type CouponValues, checkCoupon, createValues, toCouponInput, toValues } from './form.ts'
import { useCreateCoupon, useUpdateCoupon } from './queries.ts'
import { formatCode } from './rules.ts'

type Form = ReturnType<typeof useForm<CouponValues>>
export type CouponFormState = Pick<Form, 'values' | 'getInputProps' | 'setFieldValue'>

/** Form state of a new or edited coupon. */
export function useCouponForm(coupon: Coupon | null, where: { currency: string; zone: string }) {
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
          announce(`${formatCode(saved.coupon)} was ${coupon ? 'saved' : 'created'}.`)
          setSaved(true)
        },
        onError: isRefused,
      })
    },
    () => focusFirstError('[role=dialog]'),
  )
  const fallback = coupon ? couponTexts.updateFailed : couponTexts.createFailed
  const problem = error && !isSaidAtField(error as ApiError) ? getErrorText(error, fallback) : null
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
