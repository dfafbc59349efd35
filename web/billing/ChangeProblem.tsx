import { Button, Stack } from '@mantine/core'
import { billingTexts } from '../../shared/billing-texts.ts'
import { Notice } from '../ui/Notice.tsx'
import { failureOf } from './failure.ts'
import { useOpenPortal } from './payment-queries.ts'

interface Props {
  words: string
  /** The amounts are others than before: nothing has failed. */
  isOther: boolean
  /** It may be the card, which is kept at Stripe. */
  isOfCard: boolean
}

/** Why a change was not made, with the way to another card. */
export function ChangeProblem({ words, isOther, isOfCard }: Props) {
  const portal = useOpenPortal()
  const failed = failureOf(portal.error, billingTexts.failed.openPortal)
  return (
    <Stack gap="sm">
      <Notice tone={isOther ? 'warn' : 'bad'} isLive>
        {words}
      </Notice>
      {isOfCard && (
        // The page is left once the address is there.
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
