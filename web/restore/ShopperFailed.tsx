import { Button, Stack, Title } from '@mantine/core'
import type { Language } from '../../shared/preferences.ts'
import { ApiError } from '../api.ts'
import { LoadingList } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { shopperCopy } from './copy.ts'

/** The link says nothing to us: half of it was lost on the way, it is too old, or it never was one. All look the same (X1). */
export const isLinkBroken = (token: string, error: Error | null): boolean =>
  token === '' || (error instanceof ApiError && !error.isOutage && error.status !== 429)

interface Props {
  title: string
  language: Language
  isBroken: boolean
  error: Error | null
  onRetry: () => unknown
}

/** Where a shopper's page has nothing to show yet, or cannot have it. */
export function ShopperFailed({ title, language, isBroken, error, onRetry }: Props) {
  const words = shopperCopy[language]
  return (
    <Stack gap="md">
      <Title order={1}>{title}</Title>
      {isBroken ? (
        <Notice tone="warn" isLive>
          {words.linkBroken}
        </Notice>
      ) : error ? (
        <Notice tone="bad" title={words.failedTitle} isLive>
          <Stack gap="sm" align="flex-start" mt={2}>
            <span>{language === 'en' ? error.message : words.failed}</span>
            <Button size="xs" variant="default" onClick={() => onRetry()}>
              {words.retry}
            </Button>
          </Stack>
        </Notice>
      ) : (
        <LoadingList count={1} />
      )}
    </Stack>
  )
}
