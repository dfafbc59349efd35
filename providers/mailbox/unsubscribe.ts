// One-click unsubscribe as mail providers send it (RFC 8058): one POST without cookies and redirects.

/** Posts the one-click unsubscribe; returns a text for success and failure. */
export async function postOneClick(url: string): Promise<{ isOk: boolean; answer: string }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
      redirect: 'manual',
      signal: AbortSignal.timeout(10_000),
    })
    await response.body?.cancel()
    return { isOk: response.ok, answer: `answered ${response.status}` }
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === 'TimeoutError'
    return { isOk: false, answer: isTimeout ? 'did not answer within 10 seconds' : 'could not be reached' }
  }
}
