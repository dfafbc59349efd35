import { Button, Stack, Title } from '@mantine/core'
import type { Language } from '../../../shared/delivery/preferences.ts'
import { TEST_TOKEN } from '../../../shared/delivery/restore.ts'
import { ApiError } from '../../core/api/api.ts'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { shopperCopy } from './copy.ts'

/** An invalid link: truncated, expired or never valid. All look the same (X1). */
const isLinkBroken = (token: string, error: Error | null): boolean =>
  token === '' || (error instanceof ApiError && !error.isOutage && error.status !== 429)

/** Link of a test message: the page opens but belongs to no shopper. */
export const isTestLink = (token: string): boolean => token === TEST_TOKEN

interface Props {
  token: string
  title: string
  language: Language
  error: Error | null
  onRetry: () => unknown
}

/** Shown while a shopper's page loads or when it fails. */
export function ShopperFailed({ token, title, language, error, onRetry }: Props) {
  const copy = shopperCopy[language]
  return (
    <Stack gap="md">
      <Title order={1}>{title}</Title>
      {isTestLink(token) ? (
        <Notice tone="info" isLive>
          {copy.isTest}
        </Notice>
      ) : isLinkBroken(token, error) ? (
        <Notice tone="warn" isLive>
          {copy.linkBroken}
        </Notice>
      ) : error ? (
        <Notice tone="bad" title={copy.failedTitle} isLive>
          <Stack gap="sm" align="flex-start" mt={2}>
            <span>{language === 'en' ? error.message : copy.failed}</span>
            <Button size="xs" variant="default" onClick={() => onRetry()}>
              {copy.retry}
            </Button>
          </Stack>
        </Notice>
      ) : (
        <LoadingList count={1} />
      )}
    </Stack>
  )
}
