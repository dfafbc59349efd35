import { Button, NativeSelect, Text } from '@mantine/core'
import { IconBuildingStore } from '@tabler/icons-react'
import { Link, useSearchParams } from 'react-router'
import { analyticsTexts } from '../../../shared/insights/analytics.ts'
import { useConnectedStores, useScope } from '../../core/access/scope.ts'
import { Empty } from '../../core/ui/Empty.tsx'

/** Which stores are included, and the currency choice if there are several (decision 154). */
export function AllStoresBar() {
  const [, setSearch] = useSearchParams()
  const { currency } = useScope()
  const stores = useConnectedStores() ?? []
  const currencies = [...new Set(stores.map((store) => store.currency))].sort()
  const counted = stores.filter((store) => store.currency === currency)
  return (
    <div className="all-stores">
      <Text fz="sm" c="dimmed">
        All stores in {currency}: {counted.map(({ name }) => name).join(', ')}
      </Text>
      {currencies.length > 1 && (
        <NativeSelect
          size="xs"
          aria-label="Currency"
          data={currencies}
          value={currency ?? ''}
          onChange={(event) => {
            const { value } = event.currentTarget
            setSearch((search) => {
              search.set('currency', value)
              return search
            })
          }}
        />
      )}
    </div>
  )
}

/** Shown on smaller plans: what is missing, with an upgrade link. */
export const AllStoresLocked = () => (
  <Empty icon={IconBuildingStore} title="All stores together" text={analyticsTexts.allStoresPlan}>
    <Button component={Link} to="/pricing">
      See plans
    </Button>
  </Empty>
)
