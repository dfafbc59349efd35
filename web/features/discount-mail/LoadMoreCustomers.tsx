import { useIntersection } from '@mantine/hooks'
import { IconShoppingCartOff, IconUserOff } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { discountTexts } from '../../../shared/marketing/discount-mail.ts'
import { Empty } from '../../core/ui/Empty.tsx'
import { ShowMore } from '../../core/ui/ShowMore.tsx'
import type { usePeople } from './queries.ts'
import type { PeopleFilter } from './rules.ts'

/** Loads more when the end of the list becomes visible. */
export function LoadMoreCustomers({ people }: { people: ReturnType<typeof usePeople> }) {
  const { ref, entry } = useIntersection({ rootMargin: '200px' })
  const isInSight = entry?.isIntersecting ?? false
  const shouldLoad = isInSight && people.hasNextPage && !people.isFetchingNextPage && !people.isFetchNextPageError
  const fetchNext = useRef(people.fetchNextPage)
  fetchNext.current = people.fetchNextPage
  useEffect(() => {
    if (shouldLoad) void fetchNext.current()
  }, [shouldLoad])
  return (
    <div ref={ref}>
      <ShowMore list={people} />
    </div>
  )
}

export function NoCustomers({ search, abandonedOnly, filters = {}, channel }: PeopleFilter) {
  if (search) return <Empty icon={IconUserOff} text="No customer matches the search." />
  if (!abandonedOnly) return <Empty icon={IconUserOff} text={discountTexts.noneFound} />
  const isNarrowed = channel !== undefined || Object.values(filters).some((value) => value != null)
  const found = isNarrowed
    ? { title: discountTexts.noAbandoned, text: 'No customer with an abandoned cart matches the filters.' }
    : { text: discountTexts.noAbandoned }
  return <Empty icon={IconShoppingCartOff} {...found} />
}
