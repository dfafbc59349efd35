<?php

// Constants of WordPress. The fakes keep their state in $GLOBALS['wp'], which ShopCase resets before each test.

define('ABSPATH', __DIR__ . '/');
define('MINUTE_IN_SECONDS', 60);
define('HOUR_IN_SECONDS', 3600);
define('DAY_IN_SECONDS', 86400);
define('COOKIEPATH', '/');
define('LOGGED_IN_COOKIE', 'wordpress_logged_in_x');
