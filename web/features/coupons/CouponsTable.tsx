import { ActionIcon, Group, Text, Tooltip } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Coupon } from '../../../shared/carts/coupons.ts'
import { DataList } from '../../core/ui/DataList.tsx'
import type { DataColumn } from '../../core/ui/DataTable.tsx'
import { formatCode } from '../../kits/coupons/rules.ts'
import { CouponCode, CouponState, DiscountText, ExternalCoupon, RemainingTime, Usage } from './parts.tsx'

interface Props {
  coupons: Coupon[]
  zone: string
  mayWrite: boolean
  onOpen: (coupon: Coupon) => void
  onEdit: (coupon: Coupon) => void
  onDelete: (coupon: Coupon) => void
}

export function CouponsTable({ coupons, onOpen, ...props }: Props) {
  const actions = (coupon: Coupon) => <Actions {...props} coupon={coupon} />
  return (
    <DataList
      label="Coupons"
      minWidth={760}
      rows={coupons}
      getKey={({ _id }) => _id}
      columns={buildColumns(props.zone, onOpen)}
      onOpen={onOpen}
      {...(props.mayWrite && { actions })}
      card={(coupon) => <CouponCard coupon={coupon} zone={props.zone} onOpen={onOpen} actions={actions(coupon)} />}
    />
  )
}

function buildColumns(zone: string, onOpen: Props['onOpen']): DataColumn<Coupon>[] {
  return [
    {
      id: 'code',
      label: 'Code',
      sort: null,
      cell: (coupon) => (
        <>
          <CouponCode coupon={coupon} onOpen={onOpen} />
          <ExternalCoupon coupon={coupon} />
        </>
      ),
    },
    { id: 'discount', label: 'Discount', sort: null, cell: (coupon) => <DiscountText coupon={coupon} /> },
    { id: 'state', label: 'Status', sort: null, cell: (coupon) => <CouponState coupon={coupon} zone={zone} /> },
    { id: 'left', label: 'Time left', sort: null, cell: (coupon) => <RemainingTime endDate={coupon.endDate} /> },
    { id: 'used', label: 'Used', sort: null, isNumber: true, cell: (coupon) => <Usage coupon={coupon} /> },
  ]
}

function Actions({ coupon, mayWrite, onEdit, onDelete }: Omit<Props, 'coupons' | 'onOpen'> & { coupon: Coupon }) {
  if (!mayWrite || coupon.madeBy === 'store') return null
  const name = formatCode(coupon)
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end">
      <Tooltip label="Edit">
        <ActionIcon variant="subtle" color="gray" aria-label={`Edit ${name}`} onClick={() => onEdit(coupon)}>
          <IconPencil size={17} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Delete">
        <ActionIcon variant="subtle" color="gray" aria-label={`Delete ${name}`} onClick={() => onDelete(coupon)}>
          <IconTrash size={17} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  )
}

interface CardProps extends Pick<Props, 'zone' | 'onOpen'> {
  coupon: Coupon
  actions: ReactNode
}

/** Card layout for screens too narrow for a table. */
function CouponCard({ coupon, zone, onOpen, actions }: CardProps) {
  return (
    <>
      <Group justify="space-between" wrap="nowrap" gap="sm" align="flex-start">
        <CouponCode coupon={coupon} onOpen={onOpen} />
        <CouponState coupon={coupon} zone={zone} />
      </Group>
      <DiscountText coupon={coupon} />
      <ExternalCoupon coupon={coupon} />
      <Group gap="sm" justify="space-between" wrap="nowrap" mt={4}>
        <Text fz="sm" c="dimmed">
          Used <Usage coupon={coupon} /> · <RemainingTime endDate={coupon.endDate} isAlone />
        </Text>
        {actions}
      </Group>
    </>
  )
}
