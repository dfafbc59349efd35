import { Button, NumberInput, Popover, Stack, Text } from '@mantine/core'
import { IconBolt } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { type Coupon, couponTexts } from '../../../shared/carts/coupons.ts'
import { getErrorText } from '../../core/api/api.ts'
import { useCreateCoupon } from '../../kits/coupons/queries.ts'
import { createQuickCode, createQuickCoupon } from '../../kits/coupons/rules.ts'
import { checkPercent } from './form.ts'

interface Props {
  onCreated: (coupon: Coupon) => void
  onProblem: (problem: string) => void
}

const PRESET_PERCENT = 10

/** B 9: asks for the percentage only. */
export function QuickCreate({ onCreated, onProblem }: Props) {
  const [isOpen, setOpen] = useState(false)
  const isCreated = (coupon: Coupon) => {
    setOpen(false)
    onCreated(coupon)
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" trapFocus returnFocus withinPortal>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconBolt size={16} aria-hidden />}
          onClick={() => setOpen((wasOpen) => !wasOpen)}
        >
          Quick Create
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Quick Create" maw={300}>
        <QuickForm onCreated={isCreated} onProblem={onProblem} />
      </Popover.Dropdown>
    </Popover>
  )
}

function QuickForm({ onCreated, onProblem }: Props) {
  const create = useCreateCoupon()
  const [percent, setPercent] = useState<number | string>(PRESET_PERCENT)
  const [wrong, setWrong] = useState<string | null>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const problem = checkPercent(percent)
    setWrong(problem)
    if (problem || create.isPending) return
    create.mutate(createQuickCoupon(createQuickCode(drawBelow), Number(percent), Date.now()), {
      onSuccess: ({ coupon }) => onCreated(coupon),
      onError: (error) => onProblem(getErrorText(error, couponTexts.createFailed)),
    })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <NumberInput
          label="Discount"
          suffix=" %"
          min={1}
          max={100}
          clampBehavior="none"
          data-autofocus
          value={percent}
          onChange={setPercent}
          error={wrong}
        />
        <Text fz="xs" c="dimmed">
          One code for everyone, such as CART7K2M9Q. Valid for seven days from now.
        </Text>
        <Button type="submit" loading={create.isPending}>
          Create
        </Button>
      </Stack>
    </form>
  )
}

/** Uniform integer from the browser's secure random source. */
export function drawBelow(bound: number): number {
  const most = 2 ** 32 - (2 ** 32 % bound)
  for (;;) {
    const [number = 0] = crypto.getRandomValues(new Uint32Array(1))
    if (number < most) return number % bound
  }
}
