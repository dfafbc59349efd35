import { Button, Group, Stack, Text } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { StepTitle } from './StepTitle.tsx'

/** The payment needs the owner's confirmation at the bank (decision 85). */
export function BankConfirmation({
  url,
  message,
  onClose,
}: {
  url: string | null
  message: string
  onClose: () => void
}) {
  return (
    <Stack gap="lg">
      <div>
        <StepTitle>Your bank asks for a confirmation</StepTitle>
        <Text>{message}</Text>
      </div>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        {url && (
          <Button
            component="a"
            href={url}
            target="_blank"
            rel="noreferrer"
            rightSection={<IconExternalLink size={16} aria-hidden />}
          >
            Confirm the payment
          </Button>
        )}
      </Group>
    </Stack>
  )
}
