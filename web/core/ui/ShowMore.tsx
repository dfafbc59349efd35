import { Button, Center } from '@mantine/core'
import { Notice } from './Notice.tsx'

interface Props {
  list: {
    hasNextPage: boolean
    isFetchingNextPage: boolean
    isFetchNextPageError: boolean
    error: Error | null
    fetchNextPage: () => unknown
  }
}

/** Loads more of a cursor-paginated list. Loaded items stay if the next page fails. */
export function ShowMore({ list }: Props) {
  if (!list.hasNextPage) return null
  return (
    <>
      {list.isFetchNextPageError && list.error && (
        <Notice tone="bad" isLive>
          {list.error.message}
        </Notice>
      )}
      <Center p="md">
        <Button variant="default" loading={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
          Show more
        </Button>
      </Center>
    </>
  )
}
