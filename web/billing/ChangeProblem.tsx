import { Button, Stack } from '@mantine/core'
import { billingTexts } from '../../shared/billing-texts.ts'
import { Notice } from '../ui/Notice.tsx'
import { getFailureText } from './failure.ts'
import { useOpenPortal } from './payment-queries.ts'

interface Props {
  words: string
  /** The amounts changed meanwhile; nothing failed. */
  isOther: boolean
  /** The cause may be the card, which is stored at Stripe. */
  isOfCard: boolean
}

/** Explains why a change failed, with a link to change the card. */
export function ChangeProblem({ words, isOther, isOfCard }: Props) {
  const portal = useOpenPortal()
  const failed = getFailureText(portal.error, billingTexts.failed.openPortal)
  return (
    <Stack gap="sm">
      <Notice tone={isOther ? 'warn' : 'bad'} isLive>
        {words}
      </Notice>
      {isOfCard && (
        // The browser leaves the page once the address arrives.
        <Button
          variant="default"
          w="fit-content"
          loading={portal.isPending || portal.isSuccess}
          onClick={() => portal.mutate()}
        >
          {billingTexts.manage}
        </Button>
      )}
      {failed && (
        <Notice tone="bad" isLive>
          {failed}
        </Notice>
      )}
    </Stack>
  )
}
