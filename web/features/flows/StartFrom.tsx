import { Button, Card, Modal, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { flowLibrary } from '../../../shared/marketing/flow-library.ts'
import { BROKEN, getErrorText } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { useCreateFlow, type useFlows } from '../../kits/flows/queries.ts'
import { CouponField } from '../../kits/message-editor/CouponField.tsx'
import { applyCoupon, type CouponEdit } from '../../kits/message-editor/step-coupon.ts'
import { UpgradeNotice } from '../billing/UpgradeNotice.tsx'

interface Props {
  opened: boolean
  library: NonNullable<ReturnType<typeof useFlows>['data']>['library']
  /** Text if the plan has one flow only; null otherwise. */
  rulesPlan: string | null
  onClose: () => void
}

/** Templates for a new flow, with their requirements. */
export function StartFrom({ opened, library, rulesPlan, onClose }: Props) {
  const creating = useCreateFlow()
  const navigate = useNavigate()
  const [coupon, setCoupon] = useState<CouponEdit>({ coupon: null, couponShown: null })
  const close = () => {
    creating.reset()
    onClose()
  }
  const create = (from: (typeof flowLibrary)[number]['key']) => {
    const couponId = from === 'last_discount' ? coupon.couponShown?._id : undefined
    creating.mutate(
      { from, ...(couponId && { couponId }) },
      {
        onSuccess: ({ flow }) => {
          close()
          announce('Flow created, switched off')
          navigate(`/flows/${flow.id}`)
        },
      },
    )
  }
  return (
    <Modal opened={opened} onClose={close} title="Start from" size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="md">
        {rulesPlan && <UpgradeNotice text={rulesPlan} />}
        {creating.error && (
          <Notice tone="bad" isLive>
            {getErrorText(creating.error, BROKEN)}
          </Notice>
        )}
        <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
          {flowLibrary.map(({ key, name, explanation, asks }) => (
            <li key={key}>
              <Card padding="md">
                <Title order={3}>{name}</Title>
                <Text fz="sm" mt={4}>
                  {explanation}
                </Text>
                <Asks asks={asks} missing={library.find((each) => each.key === key)?.missing ?? []} />
                {key === 'last_discount' && rulesPlan === null && (
                  <CouponField
                    step={coupon}
                    error={undefined}
                    isReadOnly={false}
                    onChoose={(chosen) => setCoupon(applyCoupon(coupon.coupon, chosen))}
                  />
                )}
                <Button
                  mt="sm"
                  w="fit-content"
                  size="xs"
                  variant="default"
                  aria-label={`Start from ${name}`}
                  disabled={rulesPlan !== null}
                  loading={creating.isPending && creating.variables?.from === key}
                  onClick={() => create(key)}
                >
                  Start from this
                </Button>
              </Card>
            </li>
          ))}
        </Stack>
      </Stack>
    </Modal>
  )
}

/** Requirements of a template, and which the store does not meet. */
function Asks({ asks, missing }: { asks: readonly string[]; missing: readonly string[] }) {
  if (asks.length === 0 && missing.length === 0) return null
  return (
    <>
      {asks.length > 0 && (
        <Text fz="sm" c="dimmed" mt={4} component="div">
          Your store needs:
          <ul className="library-asks">
            {asks.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </Text>
      )}
      {missing.length > 0 && (
        <div style={{ marginTop: 8 }}>
          <Notice tone="warn" title="Still missing">
            {missing.map((sentence) => (
              <div key={sentence}>{sentence}</div>
            ))}
          </Notice>
        </div>
      )}
    </>
  )
}
