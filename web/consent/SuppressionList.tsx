import { Card, Text, Title } from '@mantine/core'

export function SuppressionList() {
  return (
    <Card>
      <Title order={2}>Suppression list</Title>
      <Text fz="sm" c="dimmed" mt={4}>
        Addresses and numbers that get no messages from any of your stores.
      </Text>
    </Card>
  )
}
