import { Modal } from '@mantine/core'
import { useState } from 'react'
import type { Coupon } from '../../../shared/carts/coupons.ts'
import type { CouponList } from '../../kits/coupons/queries.ts'
import { formatCode } from '../../kits/coupons/rules.ts'
import { CouponForm } from './CouponForm.tsx'

/** Opens the form for a new coupon, in place of a coupon id. */
export const NEW = 'new'

interface Props {
  list: CouponList
  /** `NEW`, a coupon's id, or null if closed. It is in the address and survives a reload. */
  requestedId: string | null
  onClose: () => void
}

export function CouponDialog({ list, requestedId, onClose }: Props) {
  const [isAsking, setAsking] = useState(false)
  const { dialog, formKey } = useOpenCoupon(requestedId, list.coupons)
  return (
    <Modal
      opened={requestedId !== null && dialog !== null}
      onClose={onClose}
      title={dialog?.coupon ? `Edit ${formatCode(dialog.coupon)}` : 'Create coupon'}
      size="lg"
      // While a confirmation is open, keys belong to it.
      closeOnEscape={!isAsking}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {dialog && <CouponForm key={formKey} coupon={dialog.coupon} list={list} onAsking={setAsking} onClose={onClose} />}
    </Modal>
  )
}

/** Keeps the coupon as it was when opened, even if the list changes. */
function useOpenCoupon(requestedId: string | null, coupons: Coupon[]) {
  const [state, setState] = useState<{
    requestedId: string | null
    dialog: { coupon: Coupon | null } | null
    formKey: number
  }>({
    requestedId: null,
    dialog: null,
    formKey: 0,
  })
  if (requestedId !== state.requestedId) {
    const coupon = coupons.find(({ _id, madeBy }) => _id === requestedId && madeBy === 'recoup')
    const dialog = requestedId === NEW ? { coupon: null } : coupon ? { coupon } : null
    setState(requestedId === null ? { ...state, requestedId } : { requestedId, dialog, formKey: state.formKey + 1 })
  }
  return state
}
