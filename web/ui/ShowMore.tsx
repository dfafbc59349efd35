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

/** Goes on with a list that is read by a cursor. What is shown already stays, also where the rest cannot be had. */
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
