#!/usr/bin/env python3
"""Writes almanac.txt: the Chinese calendar, the solar terms and two Hindu feasts, year by year.

New moons and the sun's longitude are computed by the short series of Meeus, Astronomical Algorithms (2nd ed.), chapters
25, 27 and 49; the Chinese calendar by its rule of 1645: months start with the day of a new moon at Beijing, month 11 holds
the winter solstice, and in a year of thirteen months the first that holds no principal term is a leap month. Diwali is
the day on which the new moon of Kartik is reached after sunset in India, Holi the day after the full moon of Phalgun.

    python3 almanac.py > almanac.txt
"""
import datetime as dt
import math

EPOCH = dt.datetime(2000, 1, 1, 12)
FIRST, LAST = 1900, 2100


def sin(d):
    return math.sin(math.radians(d))


def delta_t(year):
    """Seconds by which dynamical time is ahead of the clock (Espenak and Meeus, rough)."""
    t = year - 2000
    if year < 1920:
        return -2.8 + 1.494119 * (year - 1900) - 0.0598939 * (year - 1900) ** 2
    if year < 1961:
        return 21.2 + 0.845 * (year - 1920) - 0.0761 * (year - 1920) ** 2 + 0.0020936 * (year - 1920) ** 3
    if year < 2005:
        return 63.86 + 0.3345 * t - 0.060374 * t * t + 0.0017275 * t ** 3
    return 62.92 + 0.32217 * t + 0.005589 * t * t


def phase(k):
    """Time of the new moon k (whole) or full moon (half) after January 2000, as days of TT after EPOCH."""
    T = k / 1236.85
    jde = 2451550.09766 + 29.530588861 * k + 0.00015437 * T * T - 0.00000015 * T ** 3
    E = 1 - 0.002516 * T - 0.0000074 * T * T
    M = 2.5534 + 29.1053567 * k - 0.0000014 * T * T
    N = 201.5643 + 385.81693528 * k + 0.0107582 * T * T
    F = 160.7108 + 390.67050284 * k - 0.0016118 * T * T
    O = 124.7746 - 1.56375588 * k + 0.0020672 * T * T
    full = k % 1 != 0
    a = ((-0.40614, 0.17302, 0.01614, 0.01043, 0.00734, -0.00515, 0.00209) if full else
         (-0.40720, 0.17241, 0.01608, 0.01039, 0.00739, -0.00514, 0.00208))
    jde += (a[0] * sin(N) + a[1] * E * sin(M) + a[2] * sin(2 * N) + a[3] * sin(2 * F) + a[4] * E * sin(N - M)
            + a[5] * E * sin(N + M) + a[6] * E * E * sin(2 * M) - 0.00111 * sin(N - 2 * F) - 0.00057 * sin(N + 2 * F)
            + 0.00056 * E * sin(2 * N + M) - 0.00042 * sin(3 * N) + 0.00042 * E * sin(M + 2 * F)
            + 0.00038 * E * sin(M - 2 * F) - 0.00024 * E * sin(2 * N - M) - 0.00017 * sin(O))
    w = [(299.77, 0.107408, 325), (251.88, 0.016321, 165), (251.83, 26.651886, 164), (349.42, 36.412478, 126),
         (84.66, 18.206239, 110), (141.74, 53.303771, 62), (207.14, 2.453732, 60), (154.84, 7.306860, 56),
         (34.52, 27.261239, 47), (207.19, 0.121824, 42), (291.34, 1.844379, 40), (161.72, 24.198154, 37),
         (239.56, 25.513099, 35), (331.55, 3.592518, 23)]
    jde += sum(c * 1e-6 * sin(b + r * k) for b, r, c in w)
    return jde - 2451545.0


def sun(t):
    """Apparent longitude of the sun, degrees, t days of TT after EPOCH."""
    T = t / 36525
    L = 280.46646 + 36000.76983 * T + 0.0003032 * T * T
    M = 357.52911 + 35999.05029 * T - 0.0001537 * T * T
    C = ((1.914602 - 0.004817 * T) * sin(M) + (0.019993 - 0.000101 * T) * sin(2 * M) + 0.000289 * sin(3 * M))
    return (L + C - 0.00569 + pull(T)) % 360


PULL = [(485, 324.96, 1934.136), (203, 337.23, 32964.467), (199, 342.08, 20.186), (182, 27.85, 445267.112),
        (156, 73.14, 45036.886), (136, 171.52, 22518.443), (77, 222.54, 65928.934), (74, 296.72, 3034.906),
        (70, 243.58, 9037.513), (58, 119.81, 33718.147), (52, 297.17, 150.678), (50, 21.02, 2281.226),
        (45, 247.54, 29929.562), (44, 325.15, 31555.956), (29, 60.93, 4443.417), (18, 155.12, 67555.328),
        (17, 288.79, 4562.452), (16, 198.04, 62894.029), (14, 199.76, 31436.921), (12, 95.39, 14577.848),
        (12, 287.11, 31931.756), (12, 320.81, 34777.259), (9, 227.73, 1222.114), (8, 15.45, 16859.074)]


def pull(T):
    """Degrees by which the planets, the moon and nutation move the sun's longitude (Meeus, chapter 27, as degrees)."""
    days = 1e-5 * sum(a * math.cos(math.radians(b + c * T)) for a, b, c in PULL)
    return -days * 360 / 365.2422


def clock(t, hours):
    u = EPOCH + dt.timedelta(days=t)
    return u - dt.timedelta(seconds=delta_t(u.year + u.month / 12)) + dt.timedelta(hours=hours)


def term(year, n):
    """Time of solar term n: 0 is 285 degrees in early January, then every 15 degrees."""
    target = (285 + 15 * n) % 360
    t = (dt.datetime(year, 1, 6) - EPOCH).days + 15.2184 * n
    for _ in range(30):
        d = (target - sun(t) + 180) % 360 - 180
        t += d * 365.2422 / 360
    return t


def moons(year):
    k = int((year - 2000) * 12.3685) - 14
    return [phase(k + i) for i in range(44)], k


def chinese(year):
    """New year's day, lengths of the months and the leap month of the Chinese year that begins in `year`."""
    days = [clock(t, 8).date() for t in moons(year)[0]]
    principal = [clock(term(y, n), 8).date() for y in range(year - 1, year + 3) for n in range(1, 24, 2)]

    def sui(y):
        """Months (start, number, leap) from month 11 of y-1 to before month 11 of y."""
        s0, s1 = (clock(term(v, 23), 8).date() for v in (y - 1, y))
        a = max(i for i, d in enumerate(days) if d <= s0)
        b = max(i for i, d in enumerate(days) if d <= s1)
        out, number, seen = [], 11, b - a == 12
        for i in range(a, b):
            has = any(days[i] <= p < days[i + 1] for p in principal)
            if not has and not seen and i > a:
                out.append((days[i], (number - 2) % 12 + 1, True))
                seen = True
                continue
            out.append((days[i], number, False))
            number = number % 12 + 1
        return out

    all_months = sui(year) + sui(year + 1)
    starts = [i for i, m in enumerate(all_months) if m[1] == 1 and not m[2]]
    a, b = starts[0], starts[1]
    lengths, leap = "", 0
    for i in range(a, b):
        lengths += "b" if (all_months[i + 1][0] - all_months[i][0]).days == 30 else "s"
        if all_months[i][2]:
            leap = all_months[i][1]
    return all_months[a][0], lengths, leap


def sidereal(t):
    """Longitude of the sun from the Indian zero point (Lahiri, rough)."""
    return (sun(t) - 23.853 - t / 36525 * 1.3965) % 360


def new_moon_in(year, low):
    """Index and time of the new moon of the year at which the sun stands in the Indian sign that begins at `low`."""
    all_moons, k = moons(year)
    for i, t in enumerate(all_moons):
        if clock(t, 5.5).year == year and low <= sidereal(t) < low + 30:
            return k + i, t
    raise ValueError("%d has no new moon in the sign at %d" % (year, low))


def diwali(year):
    u = clock(new_moon_in(year, 180)[1], 5.5)
    return u.date() if u.hour >= 17 else u.date() - dt.timedelta(days=1)


def holi(year):
    u = clock(phase(new_moon_in(year, 300)[0] + 0.5), 5.5)
    return u.date() if u.hour < 17 else u.date() + dt.timedelta(days=1)


def main():
    for y in range(FIRST, LAST + 1):
        new_year, lengths, leap = chinese(y)
        terms = "".join("%02d" % clock(term(y, n), 8).day for n in range(24))
        d, h = diwali(y), holi(y)
        print(("%d %s %s %02d %s %s %s" % (y, new_year.strftime("%m%d"), lengths, leap, terms, d.strftime("%m%d"), h.strftime("%m%d"))).ljust(95))


if __name__ == "__main__":
    main()
