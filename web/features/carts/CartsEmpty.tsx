import { Anchor, Button } from '@mantine/core'
import { IconFilterOff, IconShoppingCart } from '@tabler/icons-react'
import { Link } from 'react-router'
import { cartTexts } from '../../../shared/carts/carts.ts'
import { Empty } from '../../core/ui/Empty.tsx'
import type { ListQuery } from '../../kits/carts/rules.ts'
import { DemoHistoryGate } from '../../kits/page/DemoHistory.tsx'
import { NoCaptureYet } from '../../kits/page/NoCaptureYet.tsx'

interface Props {
  isFiltered: boolean
  page: number
  total: number
  onReset: (next: Partial<ListQuery>) => void
}

export function CartsEmpty({ isFiltered, page, total, onReset }: Props) {
  if (isFiltered) {
    return (
      <Empty icon={IconFilterOff} text={cartTexts.noMatch}>
        <Button
          variant="default"
          size="sm"
          onClick={() => onReset({ search: '', status: '', reach: '', days: 0, country: '', product: '', stage: '' })}
        >
          Clear filters
        </Button>
      </Empty>
    )
  }
  if (total === 0) {
    return (
      <DemoHistoryGate>
        <Empty icon={IconShoppingCart} text={cartTexts.none} isFirst>
          <NoCaptureYet />
          <Anchor component={Link} to="/settings">
            See what your store shares
          </Anchor>
        </Empty>
      </DemoHistoryGate>
    )
  }
  return (
    <Empty icon={IconShoppingCart} text={cartTexts.emptyPage}>
      {page > 1 && (
        <Button variant="default" size="sm" onClick={() => onReset({ page: 1 })}>
          Go to the first page
        </Button>
      )}
    </Empty>
  )
}
