<?php

use Recoup\WooCommerce\Plugin;
use Recoup\WooCommerce\Settings;

final class PluginTest extends ShopCase
{
    private const ALL = ['custom_order_tables' => true, 'cart_checkout_blocks' => true];

    protected function tearDown(): void
    {
        unset($_SERVER['HTTP_AUTHORIZATION']);
    }

    private function declareFeatures(): array
    {
        $GLOBALS['wp']['declared'] = [];
        Plugin::declare();
        return $GLOBALS['wp']['declared'];
    }

    public function testDeclaresCompatibilityToAdministratorsOnly(): void
    {
        self::assertSame([], $this->declareFeatures());
        $GLOBALS['wp']['isCron'] = true;
        self::assertSame(self::ALL, $this->declareFeatures());
        $GLOBALS['wp']['isCron'] = false;
        $_COOKIE[LOGGED_IN_COOKIE] = 'somebody';
        self::assertSame(self::ALL, $this->declareFeatures());
        $_COOKIE = [];
        $_SERVER['HTTP_AUTHORIZATION'] = 'Basic key';
        self::assertSame(self::ALL, $this->declareFeatures());
    }

    public function testVerifiesAnUpdateWithoutWooCommerce(): void
    {
        $GLOBALS['wp']['hooks'] = [];
        WC()->version = '4.9';
        Plugin::load();
        $ours = ['plugin' => 'recoup-for-woocommerce/recoup-for-woocommerce.php'];
        self::assertInstanceOf(WP_Error::class, apply_filters('upgrader_pre_download', false, 'https://recoup.example.com/x.zip', null, $ours));
    }

    /**
     * No signature covers scripts that come from Recoup.
     *
     * @runInSeparateProcess
     * @preserveGlobalState disabled
     */
    public function testLetsTheAdministratorDisableWebPush(): void
    {
        $at = 'https://recoup.example.com/push/';
        Settings::saveInput(['version' => 's2', 'boxes' => [], 'push' => ['worker' => $at . 'sw.js', 'widget' => $at . 'widget.js']]);
        self::assertTrue(Settings::hasPush());
        define('RECOUP_NO_PUSH', true);
        self::assertFalse(Settings::hasPush());
    }
}
