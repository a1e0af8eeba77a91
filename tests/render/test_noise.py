import numpy as np

from waterview.render.noise import noise_tile, ripple_tile, train_tile


def test_the_tile_is_the_same_on_every_run():
    np.testing.assert_array_equal(noise_tile(64), noise_tile.__wrapped__(64))  # which is not kept


def test_fields_have_mean_zero_and_deviation_one_half():
    tile = noise_tile(128)
    np.testing.assert_allclose(tile.mean(axis=(0, 1)), 0.0, atol=1e-4)
    np.testing.assert_allclose(tile[..., [0, 3]].std(axis=(0, 1)), 0.5, rtol=1e-5)


def test_derivatives_agree_with_differences_across_the_seam():
    tile = noise_tile(128).astype(np.float64)
    field = tile[..., 0]
    for axis, layer in ((1, 1), (0, 2)):
        difference = (np.roll(field, -1, axis) - np.roll(field, 1, axis)) * 64.0
        error = difference - tile[..., layer]
        # Central differences are short of the true slope of the finest waves, a quarter of the tile's samples long.
        assert error.std() < 0.4 * tile[..., layer].std()
        assert np.corrcoef(difference.ravel(), tile[..., layer].ravel())[0, 1] > 0.95


def test_no_shape_is_broad_enough_to_give_the_repetition_away():
    spectrum = np.abs(np.fft.fft2(noise_tile(64)[..., 0]))
    k = np.hypot(np.fft.fftfreq(64, 1 / 64)[:, None], np.fft.fftfreq(64, 1 / 64)[None, :])
    assert spectrum[k < 3.5].max() < 1e-3 * spectrum.max()


def test_ripples_are_the_slopes_of_the_broad_features_of_the_noise():
    slopes, ripples = noise_tile()[..., 1:3], ripple_tile()
    assert ripples.shape == (64, 64, 2)
    for row, column in ((0, 0), (5, 40), (63, 63)):
        mean = slopes[4 * row : 4 * row + 4, 4 * column : 4 * column + 4].mean(axis=(0, 1))
        np.testing.assert_allclose(ripples[row, column], mean, rtol=1e-4)


def test_short_waves_have_sharp_crests_across_the_wind_and_no_seam():
    slope_x, slope_y, square, group = np.moveaxis(train_tile().astype(np.float64), -1, 0)
    np.testing.assert_allclose(square, slope_x**2 + slope_y**2, atol=1e-4)
    assert abs(square.mean() - 1.0) < 1e-4
    assert (slope_x**2).mean() > 2.0 * (slope_y**2).mean()
    # Slopes are those of the normal, so they fall where the height rises.
    height = group - noise_tile()[..., 3]
    assert abs(height.mean()) < 1e-4
    assert np.corrcoef((np.roll(height, 1, 1) - np.roll(height, -1, 1)).ravel(), slope_x.ravel())[0, 1] > 0.98
    # Higher crests than troughs are deep, and as flat between: of random waves the skewness is 0.
    assert (height**3).mean() > 0.15 * height.std() ** 3
